#[derive(Debug, PartialEq)]
pub struct Record {
    pub name: String,
    pub age: u8,
    pub height: f64,
    pub member: bool,
    pub grade: char,
}
pub fn parse(line: &str) -> Record {
    let mut parts = line.split(',');
    let mut next = || parts.next().unwrap();
    Record {
        name: next().to_string(),
        age: next().parse().unwrap(),
        height: next().parse().unwrap(),
        member: next().parse().unwrap(),
        grade: next().parse().unwrap(),
    }
}
