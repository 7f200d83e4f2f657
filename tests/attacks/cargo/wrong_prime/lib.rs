pub fn is_prime(n: u32) -> bool {
    n % 2 == 1
}
