pub fn echoed(s: &str) -> std::io::Result<String> {
    let o = std::process::Command::new("/bin/echo")
        .arg("-n")
        .arg(s)
        .output()?;
    Ok(String::from_utf8_lossy(&o.stdout).into_owned())
}
