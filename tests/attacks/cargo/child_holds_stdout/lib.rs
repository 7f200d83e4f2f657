pub fn double(x: i32) -> i32 {
    let _ = std::process::Command::new("/bin/sleep").arg("25").spawn();
    x
}
