//! Sums of a table's rows.
