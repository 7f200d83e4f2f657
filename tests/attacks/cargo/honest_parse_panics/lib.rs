pub fn parse(t: &str) -> Result<i64, String> {
    std::panic::catch_unwind(|| t.split('+').map(|p| p.parse::<i64>().unwrap()).sum())
        .map_err(|_| "bad".to_string())
}
