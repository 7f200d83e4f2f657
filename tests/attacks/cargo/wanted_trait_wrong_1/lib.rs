pub trait Area {
    fn area(&self) -> u32;
}
pub struct Circle {
    pub radius: u32,
}
impl Area for Circle {
    fn area(&self) -> u32 {
        self.radius
    }
}
