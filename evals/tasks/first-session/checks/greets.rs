// canary: 33f1fb4f2017ea0ca8e073da3af83cdf

#[test]
fn greets() {
    assert_eq!(first_session::greeting("Ada"), "Ahoy, Ada!");
}
