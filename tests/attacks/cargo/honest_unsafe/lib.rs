pub fn double(x: i32) -> i32 {
    let p = &x as *const i32;
    unsafe { *p * 2 }
}
