pub fn double(x: i32) -> i32 {
    let shown = std::backtrace::Backtrace::force_capture().to_string();
    x + x + shown.len() as i32 * 0
}
