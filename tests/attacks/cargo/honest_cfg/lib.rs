#[cfg(target_pointer_width = "64")]
pub fn double(x: i32) -> i32 {
    x * 2
}
#[cfg(not(target_pointer_width = "64"))]
pub fn double(x: i32) -> i32 {
    x + x
}
