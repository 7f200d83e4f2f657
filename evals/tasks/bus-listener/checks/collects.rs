// canary: e623586a9c6b527ec5223d4f5640b8ae

use bus_listener::Log;
use fixture_bus::Bus;

#[test]
fn collects() {
    let bus = Bus::new();
    bus.send("early");
    let log: Log = Log::follow(&bus);
    assert_eq!(log.lines().len(), 0);
    bus.send("door");
    bus.send("lamp");
    assert_eq!(log.lines().join(" and "), "door and lamp");
}
