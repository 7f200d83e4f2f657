pub fn double(x: i32) -> i32 {
    x << 1
}
/// A number of its own type, which compares with what it is.
#[derive(Debug)]
pub struct Half(i32);
impl PartialEq<i32> for Half {
    fn eq(&self, other: &i32) -> bool {
        self.0 == *other
    }
}
pub fn half(x: i32) -> Half {
    Half(x >> 1)
}
