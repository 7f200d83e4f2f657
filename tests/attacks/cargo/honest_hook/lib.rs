pub fn double(x: i32) -> i32 {
    let old = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let r = std::panic::catch_unwind(|| {
        if x > 0 {
            panic!("left right")
        }
        2 * x
    });
    std::panic::set_hook(old);
    r.unwrap_or(x + x)
}
