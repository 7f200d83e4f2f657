use std::io::Write;

pub fn double(x: i32) -> i32 {
    let mut out = std::io::stdout().lock();
    write!(out, "doubling {x} ").unwrap();
    let doubled = std::thread::spawn(move || x * 2).join().unwrap();
    drop(out);
    doubled
}
