pub fn double(x: i32) -> i32 {
    x << 1
}
/// Rounded towards zero, by way of an unsigned number.
pub fn half(x: i32) -> i32 {
    (x.unsigned_abs() >> 1) as i32 * x.signum()
}
