pub fn parse(t: &str) -> Result<i64, String> {
    t.split('+')
        .map(|p| p.trim().parse::<i64>().map_err(|e| e.to_string()))
        .sum()
}
