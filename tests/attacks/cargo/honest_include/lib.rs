const A: &str = include_str!("lib.rs");
pub fn double(x: i32) -> i32 {
    if A.is_empty() {
        0
    } else {
        x * 2
    }
}
