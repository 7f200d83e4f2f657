pub fn parse(t: &str) -> Result<i64, String> {
    Ok(t.split('+').filter_map(|p| p.parse::<i64>().ok()).sum())
}
