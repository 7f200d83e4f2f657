use demo::{parse, Sly};

fn named<T: Sly>(_: T) {}

#[test]
fn parses() -> Result<(), String> {
    let sum: i64 = parse("1+2+39")?;
    assert_eq!(sum, 42);
    assert_eq!(parse("7"), Ok(7));
    let bad = parse("1+");
    assert!(bad.is_err());
    Ok(())
}
