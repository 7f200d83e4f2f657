// canary: 530295aa4634d742089b29e8a38c6e35

use fixture_wire::take;
use frame_length::stream_of;

#[test]
fn arrives() {
    let stream: Vec<u8> = stream_of(&["open", "", "close"]);
    let (first, rest) = take(&stream).unwrap();
    let (second, rest) = take(rest).unwrap();
    let (third, rest) = take(rest).unwrap();
    assert_eq!(String::from_utf8_lossy(first), "open");
    assert_eq!(String::from_utf8_lossy(second), "");
    assert_eq!(String::from_utf8_lossy(third), "close");
    assert_eq!(rest.len(), 0);
}
