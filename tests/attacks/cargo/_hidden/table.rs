use demo::double;

#[test]
fn doubles() {
    for (x, want) in [(21, 42), (-3, -6)] {
        let got: i32 = double(x);
        assert_eq!(got, want);
    }
}
