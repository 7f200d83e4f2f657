#[macro_export]
macro_rules! double {
    ($e:expr) => {
        $crate::double($e)
    };
}
pub fn double(x: i32) -> i32 {
    x * 2
}
