macro_rules! m { ($($t:tt)*) => { m! { $($t)* $($t)* x } }; }
#[recursion_limit = "40"]
mod z {}
m! { a }
pub fn double(x: i32) -> i32 {
    x
}
