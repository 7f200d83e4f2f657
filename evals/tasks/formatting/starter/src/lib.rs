//! Small functions on whole numbers.

/// Half of `x`, rounded towards zero.
pub fn halve(x: i32) -> i32 {
    x / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert_eq!(halve(7), 3);
        assert_eq!(halve(-7), -3);
    }
}
