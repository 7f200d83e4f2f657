pub fn is_prime(n: u32) -> bool {
    n > 1
        && !std::thread::scope(|s| {
            let h: Vec<_> = (0..2)
                .map(|k| s.spawn(move || (2 + k..n).step_by(2).any(|d| n % d == 0)))
                .collect();
            h.into_iter().any(|h| h.join().unwrap())
        })
}
