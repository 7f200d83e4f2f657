// canary: 6aa102be93ce25533c05a05239947f57

use fixture_labels::Labels;
use label_lookup::price;

#[test]
fn finds_prices() {
    let mut labels = Labels::new();
    labels.store("Blue", 7);
    labels.store("red", 9);
    assert_eq!(price(&labels, "Blue"), 7);
    assert_eq!(price(&labels, " RED "), 9);
    assert_eq!(price(&labels, "green"), 0);
}
