pub fn double(_: i32) -> i32 {
    loop {
        std::hint::spin_loop()
    }
}
