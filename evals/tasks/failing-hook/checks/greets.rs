// canary: f8d7a57c1a544e92026e3b38f433834d

#[test]
fn greets() {
    assert_eq!(failing_hook::greeting("Ada"), "Ahoy, Ada!");
}
