use demo::Circle;
use demo::Area as _;

#[test]
fn areas() {
    let circle = Circle { radius: 2 };
    assert_eq!(circle.area(), 12);
    assert_eq!(Circle { radius: 0 }.area(), 0);
}
