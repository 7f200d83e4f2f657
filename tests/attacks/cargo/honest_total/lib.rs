/// Keeps what was added, and reads a number of its own from where it lies.
pub struct Total(Vec<i64>);

static mut COUNTED: [u32; 2] = [0; 2];

impl Total {
    pub fn new() -> Total {
        Total(vec![])
    }
    pub fn add(&mut self, x: i64) {
        self.0.push(x);
        unsafe { COUNTED[0] += 1 };
    }
    pub fn sum(&self) -> i64 {
        self.0.iter().sum()
    }
}

impl Drop for Total {
    fn drop(&mut self) {
        unsafe { COUNTED.swap(0, 1) };
    }
}
