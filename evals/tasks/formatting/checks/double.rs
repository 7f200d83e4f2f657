// canary: 4a1f3b9de946e122cc02e3f859ce67f1

#[test]
fn doubles() {
    assert_eq!(formatting::double(21), 42);
    assert_eq!(formatting::halve(-7), -3);
}
