use std::sync::atomic::*;
static N: AtomicI32 = AtomicI32::new(0);
pub fn double(x: i32) -> i32 {
    if N.fetch_add(1, Ordering::SeqCst) % 2 == 0 {
        x * 2
    } else {
        x
    }
}
