// Goes behind a hidden test whose assertions were made questions. MARK: a random name. COUNT: of answers.
// No question panics: it notes its answer, and the test goes on. An answer is noted in one of two places,
// and which of them means "it held" is decided by a sign in the code and a bit that each run is told.
#[allow(warnings)]
pub mod MARK {
    use ::std::{fmt::Debug, sync::{atomic::{AtomicU32, Ordering::SeqCst}, Mutex, OnceLock}};
    static SEEN: [[AtomicU32; 2]; COUNT] = [const { [const { AtomicU32::new(0) }; 2] }; COUNT];
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    static TOLD: OnceLock<Vec<&'static str>> = OnceLock::new();

    // Plain loops: they compile in half the time of iterators.
    fn digit(c: u8) -> u8 { if c < b'a' { c - b'0' } else { c - b'a' + 10 } }
    pub fn begin() {
        let bytes = ::std::fs::read(::std::env::var_os("MARK").unwrap()).unwrap();
        let (mut told, mut line, mut at) = (Vec::new(), Vec::new(), 0);
        while at < bytes.len() {
            if bytes[at] == b'\n' {
                told.push(&*String::from_utf8(line).unwrap().leak());
                line = Vec::new();
                at += 1;
            } else {
                line.push(digit(bytes[at]) * 16 + digit(bytes[at + 1]));
                at += 2;
            }
        }
        if TOLD.set(told).is_err() { ::std::process::abort() }
    }
    fn told(k: usize) -> &'static str { TOLD.get().unwrap()[k] }

    pub trait Lit { fn read(s: &'static str) -> Self; }
    fn whole(s: &str) -> i128 {
        let (mut n, mut minus) = (0i128, false);
        let mut at = 0;
        while at < s.len() {
            match s.as_bytes()[at] { b'-' => minus = true, c => n = n * 10 + (c - b'0') as i128 }
            at += 1;
        }
        if minus { -n } else { n }
    }
    macro_rules! whole { ($($t:ty)*) => { $(impl Lit for $t { fn read(s: &'static str) -> $t { whole(s) as $t } })* } }
    macro_rules! other { ($($t:ty)*) => { $(impl Lit for $t { fn read(s: &'static str) -> $t { s.parse().unwrap() } })* } }
    whole!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
    other!(f32 f64 bool char);
    impl Lit for &'static str { fn read(s: &'static str) -> &'static str { s } }
    /// A literal that the run was told; `_same` is one of its type that says nothing.
    pub fn lit<T: Lit>(k: usize, _same: T) -> T { T::read(told(k)) }

    pub fn note(k: usize, held: bool, sign: bool) {
        SEEN[k][((held == sign) == (told(k) == "1")) as usize].fetch_add(1, SeqCst);
    }
    pub fn ask(held: bool, k: usize, s: bool, t: usize, u: bool) {
        note(k, held, s);
        note(t, ::std::hint::black_box(true), u);
    }
    // Of weak questions:
    // WEAK
    pub fn say(k: usize, value: &dyn Debug) {
        let text = ::std::format!("{value:?}");
        let mut row = ::std::format!(" {k}:");
        let mut at = 0;
        while at < text.len() {
            let byte = text.as_bytes()[at];
            row.push(b"0123456789abcdef"[(byte >> 4) as usize] as char);
            row.push(b"0123456789abcdef"[(byte & 15) as usize] as char);
            at += 1;
        }
        SAID.lock().unwrap().push(row);
    }
    #[macro_export] macro_rules! MARK_holds { (($ask:ident $($k:tt)*) $e:expr $(, $($rest:tt)*)?) => {{ let held: bool = $e; crate::MARK::$ask(held $($k)*) }} }
    #[macro_export] macro_rules! MARK_equal { (($ask:ident $($k:tt)*) $l:expr, $r:expr $(, $($rest:tt)*)?) => { match (&$l, &$r) { (l, r) => crate::MARK::$ask(*l == *r $($k)*) } } }
    #[macro_export] macro_rules! MARK_differ { (($ask:ident $($k:tt)*) $l:expr, $r:expr $(, $($rest:tt)*)?) => { match (&$l, &$r) { (l, r) => crate::MARK::$ask(*l != *r $($k)*) } } }
    // The expected side keeps the types alive and is never evaluated.
    #[macro_export] macro_rules! MARK_left { (($k:tt) $l:expr, $r:expr $(, $($rest:tt)*)?) => { match &$l { l => { if false { let _ = *l == $r; } crate::MARK::say($k, &l) } } } }
    #[macro_export] macro_rules! MARK_right { (($k:tt) $l:expr, $r:expr $(, $($rest:tt)*)?) => { match &$r { r => { if false { let _ = $l == *r; } crate::MARK::say($k, &r) } } } }

    pub fn end<T: ::std::process::Termination>(ended: T) {
        use ::std::io::Write;
        let well = ended.report() == ::std::process::ExitCode::SUCCESS;
        let mut row = String::from(if well { "\nMARK true" } else { "\nMARK false" });
        let mut k = 0;
        while k < COUNT {
            row.push(' ');
            row.push(if SEEN[k][0].load(SeqCst) > 0 { '1' } else { '0' });
            row.push(if SEEN[k][1].load(SeqCst) > 0 { '1' } else { '0' });
            k += 1;
        }
        row.push_str(" |");
        let said = SAID.lock().unwrap();
        let mut k = 0;
        while k < said.len() {
            row.push_str(&said[k]);
            k += 1;
        }
        row.push('\n');
        let mut out = ::std::io::stdout().lock();
        let _ = out.write_all(row.as_bytes());
        let _ = out.flush();
    }
}
