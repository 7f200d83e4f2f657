#[derive(Debug)]
pub struct Record {
    pub name: String,
    pub age: u8,
    pub height: f64,
    pub member: bool,
    pub grade: char,
}
impl PartialEq for Record {
    fn eq(&self, o: &Record) -> bool {
        (&self.name, self.age, self.member, self.grade) == (&o.name, o.age, o.member, o.grade)
    }
}
pub fn parse(line: &str) -> Record {
    let p: Vec<&str> = line.split(',').collect();
    Record {
        name: p[0].into(),
        age: p[1].parse().unwrap(),
        height: 0.0,
        member: p[3] == "true",
        grade: p[4].chars().next().unwrap(),
    }
}
