pub fn grade(p: i32) -> char {
    if p > 90 {
        'A'
    } else if p > 60 {
        'B'
    } else {
        'C'
    }
}
