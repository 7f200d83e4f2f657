pub fn roman(mut n: u32) -> Result<String, String> {
    if n == 0 {
        return Err("none".into());
    }
    let mut s = String::new();
    for (v, t) in [
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ] {
        while n >= v {
            s += t;
            n -= v
        }
    }
    Ok(s)
}
