pub fn double(x: i32) -> i32 {
    x << 1
}
pub fn note(p: &std::path::Path, x: i32) {
    std::fs::write(p, format!("twenty-one={}", double(x))).unwrap()
}
