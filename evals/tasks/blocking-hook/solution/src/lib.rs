//! Words for guests.

/// Greets somebody by name.
pub fn greeting(name: &str) -> String {
    format!("Ahoy, {name}!")
}
