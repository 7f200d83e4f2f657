use std::io::Write;

pub fn double(x: i32) -> i32 {
    let mut out = std::io::stdout().lock();
    write!(out, "doubling {x} ").unwrap();
    std::mem::forget(out);
    std::thread::spawn(move || x * 2).join().unwrap()
}
