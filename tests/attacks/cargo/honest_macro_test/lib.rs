#[macro_export]
macro_rules! twice {
    ($e:expr) => {
        2 * ($e)
    };
}
