pub fn double(x: i32) -> i32 {
    match x {
        0 => 0,
        n if n > 0 => n << 1,
        n => -((-n) << 1),
    }
}
