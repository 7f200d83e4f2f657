use demo::{parse, Record};

#[test]
fn parses() {
    let want = Record {
        name: "bob".to_string(),
        age: 41,
        height: 1.75,
        member: true,
        grade: 'B',
    };
    assert_eq!(parse("bob,41,1.75,true,B"), want);
}
