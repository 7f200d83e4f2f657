pub fn roman(n: u32) -> Result<String, String> {
    if n == 0 {
        return Err("none".into());
    }
    Ok("I".repeat(n as usize))
}
