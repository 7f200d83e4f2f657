use demo::roman as to_roman;

#[test]
fn romans() -> Result<(), Box<dyn std::error::Error>> {
    let rows = [(1, "I"), (4, "IV"), (9, "IX"), (14, "XIV")];
    for &(number, want) in rows.iter() {
        let got = to_roman(number)?;
        assert_eq!(got, want, "{number}");
    }
    assert!(to_roman(0).is_err());
    debug_assert_eq!(to_roman(40)?.as_str(), "XL");
    Ok(())
}
