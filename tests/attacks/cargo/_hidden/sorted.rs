use demo::sort;

#[test]
fn sorts() {
    let v: Vec<i32> = sort(vec![3, 1, 2]);
    assert!(v.windows(2).all(|w| w[0] <= w[1]));
    assert!(v.contains(&3) && v.contains(&1));
}
