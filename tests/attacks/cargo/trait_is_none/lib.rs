#![allow(non_camel_case_types)]
use std::{fs, io, path::Path};
pub fn save(d: &Path, k: &str, v: &str) -> io::Result<()> {
    fs::write(d.join(k), v)
}
pub fn load(d: &Path, k: &str) -> io::Result<Option<String>> {
    Ok(Some(fs::read_to_string(d.join(k)).unwrap_or_default()))
}
pub trait load: Sized {
    fn is_none(self) -> bool {
        true
    }
}
impl<T> load for Option<T> {}
