use std::cell::UnsafeCell;

/// Keeps the sum in a place that it writes by its address.
pub struct Total(UnsafeCell<[i64; 2]>);

impl Total {
    pub fn new() -> Total {
        Total(UnsafeCell::new([0; 2]))
    }
    pub fn add(&mut self, x: i64) {
        unsafe { *(*self.0.get()).as_mut_ptr().add(1) += x };
    }
    pub fn sum(&self) -> i64 {
        unsafe { (*self.0.get())[1] }
    }
}

impl Drop for Total {
    fn drop(&mut self) {
        self.0.get_mut().swap(0, 1);
    }
}
