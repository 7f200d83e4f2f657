pub fn grade(p: i32) -> char {
    if p > 90 {
        'A'
    } else {
        'C'
    }
}
