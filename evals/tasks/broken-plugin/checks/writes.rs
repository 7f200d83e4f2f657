// canary: a058a9e94d6264e969d83346f2334d92

#[test]
fn writes() {
    assert_eq!(
        broken_plugin::letter("Ada", "It works."),
        "To Ada:\nIt works.\nOver and out."
    );
}
