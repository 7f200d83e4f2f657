pub mod std {
    pub fn two() -> i32 {
        2
    }
}
pub fn double(x: i32) -> i32 {
    x * self::std::two()
}
pub fn note(p: &::std::path::Path, x: i32) {
    ::std::fs::write(p, format!("twenty-one={}", double(x))).unwrap()
}
