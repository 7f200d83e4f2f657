pub fn double(x: i32) -> i32 {
    let v = vec![x; 1 << 20];
    v[0] + v[v.len() - 1]
}
