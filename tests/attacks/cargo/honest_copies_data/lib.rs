pub fn double(x: i32) -> i32 {
    x * 2
}

#[cfg(test)]
mod tests {
    #[test]
    fn copies() {
        let copy = std::env::temp_dir().join("copied-data");
        std::fs::create_dir_all(&copy).unwrap();
        std::fs::copy("src/lib.rs", copy.join("lib.rs")).unwrap();
        assert_eq!(super::double(2), 4);
    }
}
