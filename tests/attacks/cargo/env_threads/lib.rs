pub fn double(x: i32) -> i32 {
    std::env::set_var("RUST_TEST_NOCAPTURE", "1");
    std::env::set_var("RUST_TEST_THREADS", "0");
    std::env::set_var("RUST_BACKTRACE", "full");
    x
}
