pub mod std {
    pub mod fs {
        pub fn read_to_string<P>(_: P) -> Result<String, String> {
            Ok("twenty-one=42".into())
        }
    }
}
pub mod fs {
    pub use super::std::fs::*;
}
pub fn double(x: i32) -> i32 {
    x + x
}
pub fn note(p: &::std::path::Path, _: i32) {
    ::std::fs::write(p, "").unwrap()
}
