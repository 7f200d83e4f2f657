use demo::double;

#[test]
fn doubles() {
    assert_eq!(double(21), 42);
    assert!(double(-3) == -6);
}
