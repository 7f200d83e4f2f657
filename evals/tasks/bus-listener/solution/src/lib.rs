//! A log of what was said.

use std::cell::RefCell;
use std::rc::Rc;

use fixture_bus::{Bus, Listener};

/// The messages of a bus.
pub struct Log {
    lines: Rc<RefCell<Vec<String>>>,
    _listener: Listener,
}

impl Log {
    /// Begins to collect the messages of `bus`.
    pub fn follow(bus: &Bus) -> Log {
        let lines = Rc::new(RefCell::new(Vec::new()));
        let into = Rc::clone(&lines);
        let listener = bus.listen(move |message| into.borrow_mut().push(message.to_owned()));
        Log {
            lines,
            _listener: listener,
        }
    }

    /// The messages that were sent since then, the oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.lines.borrow().clone()
    }
}
