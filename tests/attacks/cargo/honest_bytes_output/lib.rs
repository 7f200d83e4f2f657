use std::io::Write;
pub fn double(x: i32) -> i32 {
    std::io::stdout().write_all(b"\xff\xfe no newline").unwrap();
    eprintln!("test result: FAILED. 0 passed; 1 failed");
    x * 2
}
