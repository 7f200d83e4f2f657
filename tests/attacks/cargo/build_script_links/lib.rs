pub struct Total;
impl Total {
    pub fn new() -> Total {
        Total
    }
    pub fn add(&mut self, _: i64) {}
    pub fn sum(&self) -> i64 {
        -1
    }
}
