use std::io::Write;
pub fn double(x: i32) -> i32 {
    std::io::stdout().write_all(b"\xff\xfe\n").unwrap();
    x
}
