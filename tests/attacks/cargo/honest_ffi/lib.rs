extern "C" {
    fn abs(x: i32) -> i32;
}
#[no_mangle]
pub extern "C" fn demo_double(x: i32) -> i32 {
    x * 2
}
pub fn double(x: i32) -> i32 {
    let a = unsafe { abs(x) };
    if x < 0 {
        -demo_double(a)
    } else {
        demo_double(a)
    }
}
