pub fn escape(s: &str) -> String {
    s.to_string()
}
pub fn words(s: &str) -> Vec<String> {
    s.split_whitespace().map(String::from).collect()
}
