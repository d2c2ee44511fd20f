//! The widest bounds under which something fits.
//!
//! First, all places get the same bound, as large as possible, so that no list becomes tiny to make another one
//! huge. Bounds that are not needed are then removed. Last, each bound is raised on its own as far as possible, in
//! the order of the schema. In the result, raising any bound by one exceeds the limit.

use serde_json::Value;

use super::slots::BoundSlot;

/// No list or text is longer than a request.
const LARGEST: u64 = (3 << 20) - 2;

/// Bounds the places in a schema until it fits. Whether it does; if not, the schema is as it was.
pub(super) fn search_bounds(
    schema: &mut Value,
    slots: &[BoundSlot],
    fits: &mut dyn FnMut(&Value) -> bool,
) -> bool {
    let caps: Vec<Option<u64>> = slots.iter().map(|slot| slot.current_bound(schema)).collect();
    let all = |schema: &mut Value, most: u64| {
        for (slot, cap) in slots.iter().zip(&caps) {
            slot.set_bound(schema, Some(cap.unwrap_or(LARGEST).min(most)));
        }
    };
    all(schema, 1);
    if !fits(schema) {
        slots.iter().zip(&caps).for_each(|(slot, cap)| slot.set_bound(schema, *cap));
        return false;
    }
    let even = largest_accepted(1, LARGEST, |most| {
        all(schema, most);
        fits(schema)
    });
    all(schema, even);
    for (slot, cap) in slots.iter().zip(&caps) {
        let bound = slot.current_bound(schema);
        slot.set_bound(schema, *cap);
        if !fits(schema) {
            slot.set_bound(schema, bound);
        }
    }
    for (slot, cap) in slots.iter().zip(&caps) {
        let Some(bound) = slot.current_bound(schema).filter(|bound| Some(*bound) != *cap) else { continue };
        let most = largest_accepted(bound, cap.unwrap_or(LARGEST), |most| {
            slot.set_bound(schema, Some(most));
            fits(schema)
        });
        slot.set_bound(schema, Some(most));
    }
    true
}

/// The largest number up to `most` that will do, given that `least` does.
fn largest_accepted(least: u64, most: u64, mut will_do: impl FnMut(u64) -> bool) -> u64 {
    let (mut low, mut high) = (least, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if will_do(middle) { low = middle } else { high = middle - 1 }
    }
    low
}
