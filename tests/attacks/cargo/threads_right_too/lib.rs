use std::sync::atomic::*;
#[derive(Default)]
pub struct Counter {
    n: AtomicI32,
}
impl Counter {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn add(&self, n: i32) {
        self.n.fetch_add(n, Ordering::SeqCst);
    }
    pub fn total(&self) -> i32 {
        self.n.load(Ordering::SeqCst)
    }
}
