pub fn escape(s: &str) -> String {
    s.replace('"', "\\\"").replace('\t', "\\t")
}
pub fn words(s: &str) -> Vec<String> {
    let mut v = vec![];
    for w in s.split(' ') {
        if !w.is_empty() {
            v.push(w.to_owned())
        }
    }
    v
}
