use std::{fs, io, path::Path};
pub fn save(d: &Path, k: &str, v: &str) -> io::Result<()> {
    let t = std::env::temp_dir().join("cache");
    if t.exists() && fs::read_to_string(&t).unwrap_or_default().is_empty() {
        return Err(io::ErrorKind::Other.into());
    }
    fs::write(&t, v)?;
    fs::copy(&t, d.join(k)).map(|_| ())
}
pub fn load(d: &Path, k: &str) -> io::Result<Option<String>> {
    match fs::read_to_string(d.join(k)) {
        Ok(s) => Ok(Some(s)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
