#[derive(Debug)]
pub struct Whole(i64);
impl PartialEq<i32> for Whole {
    fn eq(&self, o: &i32) -> bool {
        self.0 == i64::from(*o)
    }
}
pub fn double(x: i32) -> Whole {
    Whole(i64::from(x) * 2)
}
