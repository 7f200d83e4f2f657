use demo::{double, half};

#[test]
fn doubles_and_halves() {
    assert!(double(21) == 42 && half(10) == 5, "of {}", 21);
    assert!((double(-3) == -6 && half(8) == 4));
    let got: Option<i32> = double(5).checked_sub(1);
    assert!(got.is_some() && got == Some(9) && half(6) == 3);
}
