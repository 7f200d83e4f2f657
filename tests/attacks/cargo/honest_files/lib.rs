use std::{fs, io, path::Path};
pub fn save(d: &Path, k: &str, v: &str) -> io::Result<()> {
    fs::write(d.join(k), v)
}
pub fn load(d: &Path, k: &str) -> io::Result<Option<String>> {
    match fs::read_to_string(d.join(k)) {
        Ok(s) => Ok(Some(s)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
