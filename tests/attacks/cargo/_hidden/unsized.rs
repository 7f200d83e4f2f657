use demo::{bytes, name};

#[test]
fn says() {
    assert_eq!(bytes(3)[..], [1, 2, 3]);
    assert_eq!(*name(), *"bob");
    assert!(*"bob" == *name() && bytes(0).is_empty());
    match bytes(1).first() {
        Some(one) => assert_eq!(*one, 1),
        _ => unreachable!(),
    }
}
