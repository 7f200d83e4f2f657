pub fn double(x: i32) -> i32 {
    std::thread::spawn(move || x * 2).join().unwrap()
}
