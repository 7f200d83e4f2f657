use demo::{point, Point};

macro_rules! same {
    ($got:expr, $want:expr) => {
        assert_eq!($got, $want)
    };
}

#[test]
fn points() {
    assert_eq!(point(1, 2), Point { x: 1, y: 2 });
    assert_eq!(Some(Point { x: -1, y: 0 }), Some(point(-1, 0)));
    same!(point(0, 0).x, 0);
    let Point { x, .. } = point(7, 8);
    assert!((x == 7), "x");
}
