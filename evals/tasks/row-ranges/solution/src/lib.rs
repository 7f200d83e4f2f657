//! Sums of a table's rows.

use fixture_rows::Table;

/// The sum of the first `count` rows, or of all when there are fewer.
pub fn sum_of_first(table: &Table, count: usize) -> i64 {
    table.rows(1, count.min(table.len())).iter().sum()
}
