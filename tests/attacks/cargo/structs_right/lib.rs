#[derive(Debug, PartialEq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}
pub fn point(x: i32, y: i32) -> Point {
    Point { x, y }
}
