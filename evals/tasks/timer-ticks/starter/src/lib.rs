//! Reminders.
