pub fn bytes(n: u8) -> &'static [u8] {
    &[1, 2, 3, 4][..n as usize]
}
pub fn name() -> Box<str> {
    "bob".into()
}
