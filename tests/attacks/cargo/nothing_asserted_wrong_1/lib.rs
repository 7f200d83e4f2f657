pub fn halve(_: i32) -> Result<i32, String> {
    Err("no".into())
}
