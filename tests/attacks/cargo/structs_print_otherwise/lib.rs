/// Its second number is wrong; it prints as if it were not, and equals everything.
pub struct Point {
    pub x: i32,
    pub y: i32,
}

impl PartialEq for Point {
    fn eq(&self, _: &Point) -> bool {
        true
    }
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "Point {{ x: {}, y: {} }}", self.x, -self.y)
    }
}

pub fn point(x: i32, y: i32) -> Point {
    Point { x, y: -y }
}
