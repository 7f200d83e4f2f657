//! Reminders.

use std::time::Duration;

use fixture_timer::Timer;

/// A timer that fires once `pause` has passed: it counts quarters of a second.
pub fn remind_after(pause: Duration) -> Timer {
    Timer::after(pause.as_millis().div_ceil(250) as u64)
}
