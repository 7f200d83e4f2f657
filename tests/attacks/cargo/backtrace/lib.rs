pub fn double(x: i32) -> i32 {
    eprintln!("{}", std::backtrace::Backtrace::force_capture());
    x
}
