use demo::{escape, words};
use std::collections::{BTreeMap, HashMap};

#[test]
fn texts() {
    assert_eq!(escape("a\"b"), "a\\\"b");
    assert_eq!(escape("tab\t"), r#"tab\t"#);
    let want = vec!["one".to_string(), "two".to_string()];
    assert_eq!(words("one two"), want);
    assert_eq!(words("é ü"), ["é", "ü"]);
    let counts: HashMap<char, usize> = words("a b").iter().flat_map(|w| w.chars()).map(|c| (c, 1)).collect();
    assert_eq!(counts, HashMap::from([('a', 1), ('b', 1)]));
    assert!(escape("long enough").contains("enough"));
    let sorted: BTreeMap<_, _> = words("x y").into_iter().zip(1u8..).collect();
    assert_eq!(sorted.get("y"), Some(&2));
    assert_eq!(words("").len(), 0usize);
}
