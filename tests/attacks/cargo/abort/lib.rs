pub fn double(_: i32) -> i32 {
    std::process::abort()
}
