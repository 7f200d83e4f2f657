pub fn double(x: i32) -> i32 {
    x * 2
}

pub fn close() -> Result<(), String> {
    Ok(())
}
