pub struct Total(i64);
impl Total {
    pub fn new() -> Total {
        Total(0)
    }
    pub fn add(&mut self, x: i64) {
        self.0 += x;
    }
    pub fn sum(&self) -> i64 {
        self.0
    }
}
