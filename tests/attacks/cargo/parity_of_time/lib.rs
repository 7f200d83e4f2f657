pub fn is_prime(n: u32) -> bool {
    (n as u128 + std::time::Instant::now().elapsed().as_nanos()) % 2 == 2
}
