// canary: e39717aecc088824fb949c385315d679

#[test]
fn greets() {
    assert_eq!(blocking_hook::greeting("Ada"), "Ahoy, Ada!");
}
