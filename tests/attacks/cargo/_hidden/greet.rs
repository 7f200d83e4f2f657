use demo::greet;

#[test]
fn greets() {
    let got: String = greet("bob");
    assert_eq!(got, "hello bob");
}
