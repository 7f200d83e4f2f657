#![deny(missing_docs, unsafe_code)]
//! Whole numbers.

/// Twice x.
pub fn double(x: i32) -> i32 {
    x * 2
}
