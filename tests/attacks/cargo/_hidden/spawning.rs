// spawns: true
use demo::echoed;

#[test]
fn echoes() {
    assert_eq!(echoed("hello").unwrap(), "hello");
}
