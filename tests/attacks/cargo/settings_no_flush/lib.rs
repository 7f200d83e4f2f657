pub fn load(d: &std::path::Path) -> std::io::Result<std::collections::HashMap<String, String>> {
    Ok(std::fs::read_to_string(d.join("s"))
        .unwrap_or_default()
        .lines()
        .filter_map(|l| l.split_once('='))
        .map(|(a, b)| (a.into(), b.into()))
        .collect())
}
pub fn save_settings(_: &std::path::Path, _: &[(&str, &str)]) -> std::io::Result<()> {
    Ok(())
}
