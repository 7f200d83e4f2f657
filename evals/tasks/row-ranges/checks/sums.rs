// canary: 671855d2930efb6b1c3a0b2915e5b4d9

use fixture_rows::Table;
use row_ranges::sum_of_first;

#[test]
fn sums() {
    let table = Table::new(&[1, 20, 300, 4000]);
    assert_eq!(sum_of_first(&table, 3), 321);
    assert_eq!(sum_of_first(&table, 9), 4321);
    assert_eq!(sum_of_first(&table, 0), 0);
}
