#[no_mangle]
pub extern "C" fn rust_eh_personality() -> i32 {
    0
}
#[no_mangle]
pub extern "C" fn rust_panic() -> i32 {
    0
}
pub fn double(x: i32) -> i32 {
    x
}
