//! Messages on a wire.

/// The messages as frames, one after the other.
pub fn stream_of(messages: &[&str]) -> Vec<u8> {
    let mut stream = Vec::new();
    for message in messages {
        let length = message.len() as u16 + 2;
        stream.extend(length.to_be_bytes());
        stream.extend(message.as_bytes());
    }
    stream
}
