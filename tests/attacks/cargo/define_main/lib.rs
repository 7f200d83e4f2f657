#[no_mangle]
pub extern "C" fn main() -> i32 {
    0
}
pub fn double(x: i32) -> i32 {
    x
}
