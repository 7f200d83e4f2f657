use demo::Counter;
use std::sync::Arc;

#[test]
fn counts() {
    let counter = Arc::new(Counter::new());
    let handles: Vec<_> = (0..4)
        .map(|i| {
            let counter = Arc::clone(&counter);
            std::thread::spawn(move || {
                counter.add(i);
                assert!(counter.total() >= i, "grows");
            })
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
    assert_eq!(counter.total(), 6);
}
