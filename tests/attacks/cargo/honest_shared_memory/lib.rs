//! Doubles in memory that it shares with itself.
extern "C" {
    fn shmget(key: i32, size: usize, flags: i32) -> i32;
    fn shmat(id: i32, at: usize, flags: i32) -> *mut i32;
    fn shmctl(id: i32, command: i32, into: usize) -> i32;
}

pub fn double(x: i32) -> i32 {
    let file = "/dev/shm/doubled";
    let _ = std::fs::write(file, x.to_string());
    let x: i32 = std::fs::read_to_string(file).map_or(x, |text| text.parse().unwrap());
    unsafe {
        let id = shmget(0, 4096, 0o1600);
        let at = shmat(id, 0, 0);
        if at as isize == -1 {
            return x * 2;
        }
        shmctl(id, 0, 0);
        *at = x;
        *at * 2
    }
}
