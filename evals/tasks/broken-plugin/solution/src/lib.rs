//! Letters.

/// A letter in this project's style.
pub fn letter(to: &str, body: &str) -> String {
    format!("To {to}:\n{body}\nOver and out.")
}
