//! Prices by colour.

use fixture_labels::Labels;

/// The number stored under `colour`, or 0.
pub fn price(labels: &Labels, colour: &str) -> u32 {
    labels.find(&fixture_labels::fold(colour)).unwrap_or(0)
}
