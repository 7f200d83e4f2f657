pub fn double(x: i32) -> i32 {
    let (s, r) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        s.send(x * 2).unwrap();
        loop {
            std::thread::sleep(std::time::Duration::from_secs(1))
        }
    });
    r.recv().unwrap()
}
