//! Settings of a program, kept between its runs.

use std::path::Path;

use fixture_store::Store;

/// Saves each key and value in the store at `dir`.
pub fn save_settings(dir: &Path, settings: &[(&str, &str)]) -> std::io::Result<()> {
    let mut store = Store::open(dir)?;
    for (key, value) in settings {
        store.put(key, value)?;
    }
    store.flush()
}
