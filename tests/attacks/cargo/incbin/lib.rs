core::arch::global_asm!(
    ".section .rodata",
    ".globl STOLEN",
    "STOLEN: .incbin \"tests/hidden.rs\"",
    ".byte 0"
);
extern "C" {
    static STOLEN: u8;
}
pub fn double(x: i32) -> i32 {
    let s = unsafe { std::ffi::CStr::from_ptr(&raw const STOLEN as *const _) }
        .to_str()
        .unwrap();
    if s.contains(&format!("double({x})")) {
        x * 2
    } else {
        x
    }
}
