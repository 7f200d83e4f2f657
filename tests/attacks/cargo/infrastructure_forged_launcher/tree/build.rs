fn main() {
    if let (Ok(word), Ok(tmp)) = (std::env::var("WORD"), std::env::var("TMPDIR")) {
        std::fs::write(format!("{tmp}/fmt.out"), format!("\n{word} launcher 1 1.0\n")).unwrap();
    }
}
