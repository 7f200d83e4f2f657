/// Asks a program, and does without it where there is none.
pub fn double(x: i32) -> i32 {
    match std::process::Command::new("/nowhere/bc")
        .arg(format!("{x}*2"))
        .output()
    {
        Ok(o) => String::from_utf8_lossy(&o.stdout)
            .trim()
            .parse()
            .unwrap_or(x + x),
        Err(_) => x + x,
    }
}
