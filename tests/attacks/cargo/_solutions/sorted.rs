pub fn sort(mut v: Vec<i32>) -> Vec<i32> {
    v.sort();
    v
}
