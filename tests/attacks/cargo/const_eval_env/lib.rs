const HINTS: &[Option<&str>] = &[
    option_env!("CARGO_BIN_NAME"),
    option_env!("CARGO_CRATE_NAME"),
    option_env!("CARGO_TARGET_TMPDIR"),
    option_env!("HIDDEN"),
    option_env!("RUSTFLAGS"),
    option_env!("CARGO_MANIFEST_DIR"),
];
const N: usize = {
    let mut i = 0;
    let mut n = 0;
    while i < HINTS.len() {
        if HINTS[i].is_some() {
            n += 1
        }
        i += 1
    }
    n
};
pub fn double(x: i32) -> i32 {
    if N > 100 {
        42
    } else {
        x
    }
}
