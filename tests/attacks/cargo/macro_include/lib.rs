#[macro_export]
macro_rules! twice { ($($e:tt)*) => {{ const S: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", file!())); $crate::find(S, line!(), stringify!($($e)*)) }} }
pub fn find(s: &str, line: u32, e: &str) -> i32 {
    let after = s
        .lines()
        .skip(line as usize - 1)
        .collect::<Vec<_>>()
        .join(" ");
    let i = after.find("assert_eq").map_or(0, |i| i + 9);
    let t = &after[i..];
    let t = t
        .rfind_after("|| ")
        .unwrap_or_else(|| t.split(',').nth(1).unwrap_or("").trim_start());
    t.chars()
        .take_while(|c| c.is_ascii_digit() || *c == '-')
        .collect::<String>()
        .parse()
        .unwrap_or(e.len() as i32)
}
trait R {
    fn rfind_after(&self, p: &str) -> Option<&str>;
}
impl R for str {
    fn rfind_after(&self, p: &str) -> Option<&str> {
        let e = self.find(';')?;
        let l = &self[..e];
        l.find(p).map(|i| &l[i + p.len()..])
    }
}
