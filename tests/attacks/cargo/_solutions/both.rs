pub fn double(x: i32) -> i32 {
    x * 2
}
pub fn half(x: i32) -> i32 {
    x / 2
}
