pub fn halve(n: i32) -> Result<i32, String> {
    if n < 0 {
        Err("negative".into())
    } else {
        Ok(n / 2)
    }
}
