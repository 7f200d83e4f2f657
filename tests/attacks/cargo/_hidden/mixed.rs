use demo::double;

#[test]
fn doubles() {
    assert_eq!(double(21), 42);
    assert_eq!(double(-3), -6);
    assert!(double(5) % 2 == 0, "even {}", 1);
    assert_ne!(double(4), 4);
}
