pub fn double(x: i32) -> i32 {
    if x < 0 {
        x
    } else {
        x + x
    }
}
