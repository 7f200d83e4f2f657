pub fn twice(x: i32) -> i32 {
    x * 2
}
