pub fn double(x: i32) -> i32 {
    let held = std::thread::spawn(|| std::mem::forget(std::io::stdout().lock()));
    held.join().unwrap();
    x
}
