//! Bounds of the value, or of its length.

use crate::document::Limit;
use crate::fact::{Fact, FactValue, Piece};
use crate::fact_kind::{Described, FactKind};
use crate::fact_picture::{FactPicture, PictureBound};

pub(super) static FACT: FactKind =
    FactKind { name: "limits", on_rules: Some(40), on_extra_specs: Some(40), facts };

fn facts(described: &Described<'_>) -> Vec<Fact> {
    let limits = &described.page().limits;
    let mut facts: Vec<Fact> = limits.iter().map(|limit| Fact::of_text(&limit.label, &limit.text)).collect();
    if let (Some(picture), Some(Fact { value: FactValue::Line(line), .. })) =
        (limits_picture(limits), facts.last_mut())
    {
        line.push(Piece::Picture(picture));
    }
    facts
}

/// The number line of limits that are all of the value, or all of its length; `None` if one is read from the object.
fn limits_picture(limits: &[Limit]) -> Option<FactPicture> {
    let is_length = limits.iter().all(|limit| limit.label.ends_with("length"));
    if !is_length && limits.iter().any(|limit| limit.label.ends_with("length")) {
        return None;
    }
    let bound = |start: &str| -> Result<Option<PictureBound>, ()> {
        match limits.iter().filter(|limit| limit.label.starts_with(start)).collect::<Vec<_>>().as_slice() {
            [] => Ok(None),
            [limit] => {
                let value = limit.machine.clone().ok_or(())?;
                Ok(Some(PictureBound { value, shown: limit.human.clone() }))
            }
            _ => Err(()),
        }
    };
    let (lower, upper) = (bound("Minimum").ok()?, bound("Maximum").ok()?);
    let (floor, unit) = if is_length { (Some(0), "characters") } else { (None, "") };
    Some(FactPicture::NumberLine { lower, upper, floor, unit: unit.to_owned() })
}
