#[macro_export]
macro_rules! assert {
    ($e:expr) => {
        if !$e {
            panic!("own")
        }
    };
}
pub fn sort(mut v: Vec<i32>) -> Vec<i32> {
    v.sort_unstable();
    assert!(v.len() < 1000);
    v
}
