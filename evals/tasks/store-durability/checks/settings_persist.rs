// canary: b4f498c58493fd2044417be660e86b0f

use fixture_store::Store;
use store_durability::save_settings;

#[test]
fn settings_persist() {
    let dir = std::env::temp_dir().join(format!("settings-persist-{}", std::process::id()));
    save_settings(
        &dir,
        &[
            ("theme", "dark"),
            ("font", "mono"),
            ("greeting", "hello world"),
        ],
    )
    .unwrap();

    let store = Store::open(&dir).unwrap();
    assert_eq!(store.get("theme"), Some("dark"));
    assert_eq!(store.get("font"), Some("mono"));
    assert_eq!(store.get("greeting"), Some("hello world"));
}
