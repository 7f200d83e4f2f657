pub fn bytes(n: u8) -> Vec<u8> {
    (1..=n).collect()
}
pub fn name() -> String {
    "bobo".to_string()
}
