// canary: 57e862e6fd46c82b72ccfa591aafd222

use std::time::Duration;

use timer_ticks::remind_after;

#[test]
fn fires_in_time() {
    let timer = remind_after(Duration::from_secs(3));
    assert_eq!(timer.has_fired(Duration::from_millis(2999)), false);
    assert_eq!(timer.has_fired(Duration::from_millis(3000)), true);

    let odd = remind_after(Duration::from_millis(251));
    assert_eq!(odd.has_fired(Duration::from_millis(250)), false);
    assert_eq!(odd.has_fired(Duration::from_millis(500)), true);
}
