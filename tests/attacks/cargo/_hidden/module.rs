// The test stands in a module, as cargo's template has it.
use demo::{shapes::{area, Shape as Figure}, shapes};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas() {
        let square = Figure::Square(3.0);
        assert_eq!(area(&square), 9.0);
        assert!(area(&Figure::Circle(0.0)) == 0.0 && shapes::corners(&square) == 4);
        assert_ne!(area(&Figure::Square(1.5)), 3.0);
    }
}
