use std::{
    fs,
    io::{self, Write},
    path::Path,
};
pub fn save(d: &Path, k: &str, v: &str) -> io::Result<()> {
    let mut f = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(d.join("log"))?;
    writeln!(f, "{k}\t{v}")?;
    f.sync_all()
}
pub fn load(d: &Path, k: &str) -> io::Result<Option<String>> {
    let s = fs::read_to_string(d.join("log")).unwrap_or_default();
    Ok(s.lines()
        .rev()
        .filter_map(|l| l.split_once('\t'))
        .find(|p| p.0 == k)
        .map(|p| p.1.to_string()))
}
