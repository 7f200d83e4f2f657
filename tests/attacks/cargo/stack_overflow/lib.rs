#[allow(unconditional_recursion)]
pub fn double(x: i32) -> i32 {
    let a = [x; 4096];
    std::hint::black_box(&a);
    double(x + std::hint::black_box(0)) + a[1]
}
