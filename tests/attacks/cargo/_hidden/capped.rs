use demo::capped;

#[test]
fn caps() {
    assert_eq!(capped(11), 10);
    assert_eq!(capped(12), 10);
    assert_eq!(capped(13), 10);
    assert_eq!(capped(14), 10);
    assert_eq!(capped(15), 10);
    assert_eq!(capped(16), 10);
    assert_eq!(capped(17), 10);
    assert_eq!(capped(18), 10);
    assert_eq!(capped(19), 10);
    assert_eq!(capped(20), 10);
    assert_eq!(capped(21), 10);
    assert_eq!(capped(22), 10);
    assert_eq!(capped(23), 10);
    assert_eq!(capped(24), 10);
    assert_eq!(capped(25), 10);
    assert_eq!(capped(26), 10);
    assert_eq!(capped(27), 10);
    assert_eq!(capped(28), 10);
    assert_eq!(capped(29), 10);
    assert_eq!(capped(30), 10);
    assert_eq!(capped(31), 10);
    assert_eq!(capped(32), 10);
    assert_eq!(capped(33), 10);
    assert_eq!(capped(34), 10);
    assert_eq!(capped(35), 10);
    assert_eq!(capped(36), 10);
    assert_eq!(capped(37), 10);
    assert_eq!(capped(38), 10);
    assert_eq!(capped(39), 10);
    assert_eq!(capped(40), 10);
    assert_eq!(capped(41), 10);
    assert_eq!(capped(42), 10);
}
