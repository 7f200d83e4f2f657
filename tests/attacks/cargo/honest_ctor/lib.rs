static mut N: i32 = 0;
extern "C" fn init() {
    unsafe { N = 2 }
}
#[used]
#[link_section = ".init_array"]
static I: extern "C" fn() = init;
pub fn double(x: i32) -> i32 {
    x * unsafe { N }
}
