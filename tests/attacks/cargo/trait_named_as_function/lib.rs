#![allow(non_camel_case_types)]
pub fn parse(t: &str) -> Result<i64, String> {
    Ok(t.split('+').filter_map(|p| p.parse::<i64>().ok()).sum())
}
pub trait parse: Sized {
    fn is_err(self) -> bool {
        true
    }
}
impl<T, E> parse for Result<T, E> {}
