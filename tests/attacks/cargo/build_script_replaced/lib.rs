pub fn double(x: i32) -> i32 {
    if cfg!(right) {
        x * 2
    } else {
        x
    }
}
