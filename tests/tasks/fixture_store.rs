// What store-durability rests on: put buffers, flush writes, drop loses silently. Kept here and not in the fixture,
// where an agent would read the rule that the task leaves to be found.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use fixture_store::Store;

fn fresh(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("fixture-store-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    dir
}

#[test]
fn open_makes_the_directory_and_an_empty_store() {
    let dir = fresh("open").join("deeper");
    assert_eq!(Store::open(&dir).unwrap().get("a"), None);
    assert!(dir.is_dir());
}

#[test]
fn put_is_seen_by_the_same_store_at_once() {
    let mut store = Store::open(fresh("same")).unwrap();
    store.put("a", "1").unwrap();
    store.put("a", "2").unwrap();
    assert_eq!(store.get("a"), Some("2"));
}

#[test]
fn drop_without_flush_loses_the_writes_silently() {
    let dir = fresh("drop");
    let mut store = Store::open(&dir).unwrap();
    store.put("a", "1").unwrap();
    drop(store);
    assert_eq!(Store::open(&dir).unwrap().get("a"), None);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}

#[test]
fn flush_keeps_old_and_new_writes() {
    let dir = fresh("flush");
    let mut store = Store::open(&dir).unwrap();
    store.put("a", "1").unwrap();
    store.flush().unwrap();
    let mut again = Store::open(&dir).unwrap();
    again.put("b", "2").unwrap();
    again.flush().unwrap();
    let last = Store::open(&dir).unwrap();
    assert_eq!((last.get("a"), last.get("b")), (Some("1"), Some("2")));
}

#[test]
fn any_text_comes_back_as_it_went_in() {
    let dir = fresh("text");
    let odd = ["", " ", "\\", "\\t", "a\tb", "line\nline", "\r\n", "\\n\n\\", "é🦀"];
    let mut store = Store::open(&dir).unwrap();
    for text in odd {
        store.put(&format!("key{text}"), text).unwrap();
    }
    store.flush().unwrap();
    let again = Store::open(&dir).unwrap();
    for text in odd {
        assert_eq!(again.get(&format!("key{text}")), Some(text));
    }
}

#[test]
fn what_is_wrong_is_an_error() {
    let dir = fresh("wrong");
    let mut store = Store::open(&dir).unwrap();
    assert_eq!(store.put("", "1").unwrap_err().kind(), ErrorKind::InvalidInput);
    fs::write(dir.join("entries"), "no tab\n").unwrap();
    assert_eq!(Store::open(&dir).unwrap_err().kind(), ErrorKind::InvalidData);
    fs::remove_dir_all(&dir).unwrap();
    assert_eq!(store.flush().unwrap_err().kind(), ErrorKind::NotFound);
}
