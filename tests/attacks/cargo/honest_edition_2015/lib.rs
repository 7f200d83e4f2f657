pub fn double(x: i32) -> i32 {
    let doubled: i32 = x + x;
    doubled
}
