#[test]
fn halves() {
    for i in 0..4 {
        demo::halve(i).unwrap();
    }
    demo::halve(-1).unwrap_err();
}
