use demo::{double, note};

#[test]
fn doubles() {
    let a: i32 = double(21);
    assert_eq!(a, 42);
    let b: i32 = double(-3);
    assert!(b == -6);
    let dir = std::env::temp_dir().join(format!("b{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    note(&dir.join("x"), 21);
    let text: String = std::fs::read_to_string(dir.join("x")).unwrap_or_default();
    assert_eq!(text, "twenty-one=42");
    assert!(dir.join("x").is_file());
}
