use std::sync::atomic::*;
static N: AtomicI32 = AtomicI32::new(0);
pub fn double(x: i32) -> i32 {
    N.fetch_add(1, Ordering::SeqCst);
    x * 2
}
