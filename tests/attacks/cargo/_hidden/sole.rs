use demo::Total;

#[test]
fn totals() {
    let mut total = Total::new();
    total.add(3);
    total.add(4);
    let got: i64 = total.sum();
    assert_eq!(got, 3 + 4);
}
