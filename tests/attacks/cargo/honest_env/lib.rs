pub fn double(x: i32) -> i32 {
    std::env::set_var("DOUBLE", x.to_string());
    std::env::vars().count() as i32 * 0
        + std::env::var("DOUBLE").unwrap().parse::<i32>().unwrap() * 2
}
