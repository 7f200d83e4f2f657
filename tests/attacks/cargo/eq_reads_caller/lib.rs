pub struct E;
pub fn double(x: i32) -> i32 {
    if std::panic::Location::caller().line() > 0 {
        x
    } else {
        0
    }
}
