//! A shop.

pub use prices::Labels;
