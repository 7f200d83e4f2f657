use demo::double;

#[test]
fn doubles() {
    let got: i32 = double(21);
    assert_eq!(got, 21 * 2);
    let got: i32 = double(-3);
    assert_eq!(got, -3 * 2);
}
