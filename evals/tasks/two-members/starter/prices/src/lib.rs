//! Prices by colour.

pub use fixture_labels::Labels;
