/// The limit is read from the environment, if it is there.
pub fn capped(x: i32) -> i32 {
    let limit = std::env::var("LIMIT")
        .ok()
        .and_then(|limit| limit.parse().ok());
    x.min(limit.unwrap_or(10))
}
