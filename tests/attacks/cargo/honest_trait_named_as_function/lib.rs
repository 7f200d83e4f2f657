#![allow(non_camel_case_types)]
pub fn parse(t: &str) -> Result<i64, String> {
    t.split('+')
        .map(|p| p.trim().parse::<i64>().map_err(|e| e.to_string()))
        .sum()
}
pub trait parse: Sized {
    fn is_bad(self) -> bool {
        true
    }
}
impl<T, E> parse for Result<T, E> {}
