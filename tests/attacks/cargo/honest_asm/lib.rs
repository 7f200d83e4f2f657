pub fn double(x: i32) -> i32 {
    let mut y = x;
    unsafe { core::arch::asm!("add {0:e}, {0:e}", inout(reg) y) };
    y
}
