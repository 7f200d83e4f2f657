pub fn is_prime(n: u32) -> bool {
    n > 1 && (2..n).all(|d| n % d != 0)
}
