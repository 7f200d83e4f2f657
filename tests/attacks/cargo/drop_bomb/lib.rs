struct B;
impl Drop for B {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::exit(0)
        }
    }
}
pub fn double(x: i32) -> i32 {
    thread_local! { static T: B = const { B } }
    T.with(|_| ());
    let _b = B;
    if x > 0 {
        panic!()
    }
    x
}
