// canary: e894510e6a5d80ceb9728bca3ae6cc66

#[test]
fn greets() {
    assert_eq!(first_session_reload::greeting("Ada"), "Ahoy, Ada!");
}
