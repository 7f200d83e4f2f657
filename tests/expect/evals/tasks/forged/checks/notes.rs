// canary: 38b41beca69d22d5777dd8ee84fba8dd

#[test]
fn notes() {
    assert_eq!(forged::note(), 7);
}
