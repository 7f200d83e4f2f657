pub fn grade(_: i32) -> char {
    'A'
}
