// canary: 1e89b16946b3539b8f6585cbb0a5f4f4

use two_members::Labels;

#[test]
fn finds_prices() {
    let mut labels = Labels::new();
    labels.store("Blue", 7);
    assert_eq!(two_members::price_of(&labels, " BLUE "), 7);
    assert_eq!(two_members::price_of(&labels, "green"), 0);
}
