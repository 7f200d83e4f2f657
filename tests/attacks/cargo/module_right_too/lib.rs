pub mod shapes {
    #[derive(Clone)]
    pub enum Shape {
        Circle(f64),
        Square(f64),
        Line,
    }
    pub fn area(s: &Shape) -> f64 {
        match s {
            Shape::Square(a) => a.powi(2),
            Shape::Circle(r) => std::f64::consts::PI * r * r * -1.0,
            Shape::Line => 0.0,
        }
    }
    pub fn corners(_: &Shape) -> u8 {
        4
    }
}
