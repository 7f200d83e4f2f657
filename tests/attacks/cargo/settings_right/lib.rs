pub fn load(d: &std::path::Path) -> std::io::Result<std::collections::HashMap<String, String>> {
    Ok(std::fs::read_to_string(d.join("s"))
        .unwrap_or_default()
        .lines()
        .filter_map(|l| l.split_once('='))
        .map(|(a, b)| (a.into(), b.into()))
        .collect())
}
pub fn save_settings(d: &std::path::Path, s: &[(&str, &str)]) -> std::io::Result<()> {
    std::fs::write(
        d.join("s"),
        s.iter()
            .map(|(a, b)| format!("{a}={b}\n"))
            .collect::<String>(),
    )
}
