pub fn greet(n: &str) -> String {
    format!("hello {n}")
}
