use demo::twice;

#[test]
fn twices() {
    let got: i32 = twice!(21); // forty-two
    assert_eq!(got, 42, "twice 21 is 42");
    let got: i32 = twice!(-3);
    assert_eq!(got, -6);
}
