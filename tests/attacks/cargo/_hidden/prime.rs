use demo::is_prime;

#[test]
fn primes() {
    assert!(is_prime(7));
    assert!(!is_prime(9));
    assert!(is_prime(97));
}
