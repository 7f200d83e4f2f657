use demo::double;

#[test]
fn doubles() {
    assert_eq!(double(0), 0);
    assert_eq!(double(1), 2);
    assert_eq!(double(2), 4);
    assert_eq!(double(3), 6);
    assert_eq!(double(4), 8);
    assert_eq!(double(5), 10);
    assert_eq!(double(6), 12);
    assert_eq!(double(7), 14);
    assert_eq!(double(8), 16);
    assert_eq!(double(9), 18);
    assert_eq!(double(10), 20);
    assert_eq!(double(11), 22);
    assert_eq!(double(12), 24);
    assert_eq!(double(13), 26);
    assert_eq!(double(14), 28);
    assert_eq!(double(15), 30);
    assert_eq!(double(16), 32);
    assert_eq!(double(17), 34);
    assert_eq!(double(18), 36);
    assert_eq!(double(19), 38);
    assert_eq!(double(20), 40);
    assert_eq!(double(21), 42);
    assert_eq!(double(22), 44);
    assert_eq!(double(23), 46);
    assert_eq!(double(24), 48);
    assert_eq!(double(25), 50);
    assert_eq!(double(26), 52);
    assert_eq!(double(27), 54);
    assert_eq!(double(28), 56);
    assert_eq!(double(29), 58);
    assert_eq!(double(30), 60);
    assert_eq!(double(31), 62);
    assert_eq!(double(32), 64);
    assert_eq!(double(33), 66);
    assert_eq!(double(34), 68);
    assert_eq!(double(35), 70);
    assert_eq!(double(36), 72);
    assert_eq!(double(37), 74);
    assert_eq!(double(38), 76);
    assert_eq!(double(39), 78);
}
