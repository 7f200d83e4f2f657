pub fn escape(s: &str) -> String {
    s.escape_default().to_string()
}
pub fn words(s: &str) -> Vec<String> {
    s.split(' ').map(String::from).collect()
}
