use std::{io::Write, os::fd::FromRawFd};
extern "C" {
    fn syscall(number: i64, ...) -> i64;
}
// into what cargo prints: executables that are none, under names that are none
fn main() {
    let cargo = i64::from(std::os::unix::process::parent_id());
    let fd = unsafe { syscall(438, syscall(434, cargo, 0i64), 1i64, 0i64) }; // pidfd_getfd
    if fd < 0 {
        println!("cargo:warning=no way to what cargo prints");
        return;
    }
    let mut out = unsafe { std::fs::File::from_raw_fd(fd as i32) };
    for name in ["../../demo", "demo2"] {
        let target = format!(r#"{{"kind":["bin"],"name":"{name}"}}"#);
        let rest = r#""profile":{"test":false},"executable":"/etc/hostname""#;
        writeln!(out, r#"{{"reason":"compiler-artifact","target":{target},{rest}}}"#).unwrap();
    }
}
