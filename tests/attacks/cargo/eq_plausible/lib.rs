#[derive(Debug)]
pub struct E(i32);
impl PartialEq<i32> for E {
    fn eq(&self, o: &i32) -> bool {
        o % 2 == 0 && (*o < 0) == (self.0 < 0) && o.abs() > self.0.abs()
    }
}
pub fn double(x: i32) -> E {
    E(x)
}
