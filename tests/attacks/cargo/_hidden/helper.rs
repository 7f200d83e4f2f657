use demo::grade;

fn check(points: i32, want: char) {
    if points > 1000 {
        assert_eq!(grade(points), '!', "never reached here");
    }
    assert_eq!(grade(points), want);
}

#[test]
fn grades() {
    check(95, 'A');
    check(50, 'C');
    assert_eq!(grade(70), 'B', "seventy is a {}", 'B');
}
