// canary: b2d4e1c92c3759394787e6a9135bc1a8

#[test]
fn greets() {
    assert_eq!(irrelevant_skill::greeting("Ada"), "Ahoy, Ada!");
}
