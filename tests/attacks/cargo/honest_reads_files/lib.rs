pub fn double(x: i32) -> i32 {
    let here = std::fs::read_dir(".").map(|d| d.count()).unwrap_or(0) as i32;
    let tests = std::fs::read_dir("tests").map(|d| d.count()).unwrap_or(0) as i32;
    x * 2 + (here + tests) * 0
}
