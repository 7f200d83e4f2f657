pub fn double(x: i32) -> i32 {
    let r = std::panic::catch_unwind(|| {
        if x > 0 {
            panic!("no")
        }
        x * 2
    });
    r.unwrap_or(x + x)
}
