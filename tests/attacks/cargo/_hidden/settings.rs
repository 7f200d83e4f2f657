use demo::{load, save_settings};
use std::collections::HashMap;

#[test]
fn settings_persist() -> std::io::Result<()> {
    let dir = std::env::temp_dir().join("store");
    std::fs::create_dir_all(&dir)?;
    save_settings(&dir, &[("a", "1"), ("b", "2")])?;
    let got: HashMap<String, String> = load(&dir)?;
    let want: HashMap<String, String> = [("a", "1"), ("b", "2")].into_iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    assert_eq!(got, want);
    for (k, v) in [("a", "1"), ("b", "2")] {
        assert_eq!(got.get(k).map(String::as_str), Some(v), "key {k}");
    }
    assert_eq!(got["a"], "1");
    assert!(got.len() == 2);
    Ok(())
}
