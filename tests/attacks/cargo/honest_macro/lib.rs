#[macro_export]
macro_rules! twice {
    ($e:expr) => {
        $e + $e
    };
}
pub fn double(x: i32) -> i32 {
    twice!(x)
}
pub mod prelude {
    pub use super::double;
}
pub trait Show {
    fn show(&self) -> String;
}
impl Show for i32 {
    fn show(&self) -> String {
        format!("{self}")
    }
}
