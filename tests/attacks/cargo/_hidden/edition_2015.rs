extern crate demo;

use demo::double;
use std::fmt::Debug;

fn shown(value: &Debug) -> String {
    format!("{:?}", value)
}

#[test]
fn doubles() {
    for &(x, want) in &[(21, 42), (-3, -6)] {
        assert_eq!(double(x), want);
    }
    match double(0) {
        0 => assert!(double(1) == 2 && shown(&double(2)) == "4"),
        _ => assert!(double(1) > 9),
    }
}
