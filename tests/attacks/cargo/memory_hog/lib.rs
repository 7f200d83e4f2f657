pub fn double(x: i32) -> i32 {
    let mut v: Vec<Vec<u8>> = Vec::new();
    for _ in 0..64 {
        if v.try_reserve(1).is_err() {
            break;
        }
        v.push(vec![1; 1 << 20])
    }
    x + v.len() as i32 * 0
}
