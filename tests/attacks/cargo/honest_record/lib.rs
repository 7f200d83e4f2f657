#[derive(Debug)]
pub struct Record {
    pub name: String,
    pub age: u8,
    pub height: f64,
    pub member: bool,
    pub grade: char,
}
/// Written out, and in another order.
impl PartialEq for Record {
    fn eq(&self, o: &Record) -> bool {
        self.grade == o.grade
            && self.member == o.member
            && (self.height - o.height).abs() < 1e-9
            && (self.age, &self.name) == (o.age, &o.name)
    }
}
pub fn parse(line: &str) -> Record {
    let p: Vec<&str> = line.split(',').collect();
    Record {
        name: p[0].into(),
        age: p[1].parse().unwrap(),
        height: p[2].parse().unwrap(),
        member: p[3] == "true",
        grade: p[4].chars().next().unwrap(),
    }
}
