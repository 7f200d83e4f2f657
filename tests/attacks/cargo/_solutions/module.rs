pub mod shapes {
    pub enum Shape {
        Square(f64),
        Circle(f64),
    }
    pub fn area(s: &Shape) -> f64 {
        match s {
            Shape::Square(a) => a * a,
            Shape::Circle(r) => 3.14 * r * r,
        }
    }
    pub fn corners(s: &Shape) -> u8 {
        match s {
            Shape::Square(_) => 4,
            _ => 0,
        }
    }
}
