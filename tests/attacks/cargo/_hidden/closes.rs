use demo::{close, double};

#[test]
fn doubles_and_closes() -> Result<(), String> {
    assert_eq!(double(21), 42);
    close()
}
