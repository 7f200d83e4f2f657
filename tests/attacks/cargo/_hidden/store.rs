use demo::{load, save};

#[test]
fn keeps() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::temp_dir().join(format!("keep-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    save(&dir, "a", "seven")?;
    save(&dir, "b", "eleven")?;
    let a: Option<String> = load(&dir, "a")?;
    assert_eq!(a.as_deref(), Some("seven"));
    let b: Option<String> = load(&dir, "b")?;
    assert_eq!(b, Some("eleven".to_string()), "the second key");
    let none: Option<String> = load(&dir, "c")?;
    assert!(none.is_none());
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}
