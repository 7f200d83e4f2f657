// canary: 5e6224e16f7407428084a4cf8ab02b42

#[test]
fn triples() {
    assert_eq!(format_on_edit::triple(14), 42);
    assert_eq!(format_on_edit::triple(-5), -15);
    assert_eq!(format_on_edit::halve(7), 3);
    assert_eq!(format_on_edit::halve(-7), -3);
}
