use std::io::Write;
// into what cargo prints: executables that are none, under names that are none
fn main() {
    let cargo = std::os::unix::process::parent_id();
    let Ok(mut out) = std::fs::OpenOptions::new().append(true).open(format!("/proc/{cargo}/fd/1")) else {
        return;
    };
    for name in ["../../demo", "demo2"] {
        let target = format!(r#"{{"kind":["bin"],"name":"{name}"}}"#);
        let rest = r#""profile":{"test":false},"executable":"/etc/hostname""#;
        writeln!(out, r#"{{"reason":"compiler-artifact","target":{target},{rest}}}"#).unwrap();
    }
    writeln!(out, r#"{{"reason":"compiler-artifact","executable":"/x"}}"#).unwrap();
}
