use std::ops::Add;
pub fn double<T: Add<Output = T> + Copy>(x: T) -> T {
    x + x
}
