pub fn capped(x: i32) -> i32 {
    x.min(10)
}
