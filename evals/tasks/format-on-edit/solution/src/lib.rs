//! Small functions on whole numbers.

/// Half of `x`, rounded towards zero.
pub fn halve(x: i32) -> i32 {
    x / 2
}

/// Three times `x`.
pub fn triple(x: i32) -> i32 {
    x * 3
}
