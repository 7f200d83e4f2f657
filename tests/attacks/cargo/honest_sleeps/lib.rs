pub fn double(x: i32) -> i32 {
    std::thread::sleep(std::time::Duration::from_millis(20));
    x * 2
}
