pub fn double(x: i32) -> i32 {
    x * 2
}

#[cfg(test)]
mod tests {
    extern "C" {
        fn atexit(f: extern "C" fn()) -> i32;
        fn _exit(code: i32) -> !;
    }

    extern "C" fn ends() {
        unsafe { _exit(0) }
    }

    #[test]
    fn doubles() {
        unsafe { atexit(ends) };
        assert_eq!(super::double(2), 5);
    }
}
