#[macro_export]
macro_rules! double {
    ($($t:tt)*) => {
        42
    };
}
pub fn double(x: i32) -> i32 {
    x
}
