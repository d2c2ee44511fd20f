//! Pairs of small schemas from seeds, most of them a schema and itself with a change or two, and objects to ask them about.

mod change;
mod make;
mod objects;

use serde_json::Value;

pub(crate) use objects::many;

/// Numbers that are the same in every run.
pub(crate) struct Seeds(u64);

impl Seeds {
    pub(crate) fn new(seed: u64) -> Self {
        let mut seeds = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(7));
        for _ in 0..4 {
            seeds.below(2);
        }
        seeds
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Once in so many times.
    pub(crate) fn often(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// A schema with whether its status is a subresource.
pub(crate) type Side = (Value, bool);

/// The two sides of a seed, where a server would take both.
pub(crate) fn pair(seeds: &mut Seeds) -> Option<(Side, Side)> {
    let has_status = seeds.often(4);
    let old = make::root(seeds, has_status);
    let mut new = old.clone();
    for _ in 0..=seeds.below(3) {
        change::mutate(&mut new, seeds, 0);
    }
    let moved = has_status && seeds.often(5);
    let sides = ((old, has_status), (new, has_status != moved));
    let is_taken = |(schema, has_status): &Side| {
        let report = kvrules_apiserver::cost::review_schema(schema, "s", *has_status);
        report.errors.is_empty() && report.rules.iter().all(|rule| rule.errors.is_empty())
    };
    let fine = |side: &Side| is_taken(side) && !formatted_default(&side.0);
    (fine(&sides.0) && fine(&sides.1)).then_some(sides)
}

/// True if a default is next to a format, which may make it one that the server rejects.
fn formatted_default(node: &Value) -> bool {
    let here = node.get("default").is_some() && node.get("format").is_some();
    let below: Vec<&Value> = match node {
        Value::Object(fields) => fields.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    here || below.into_iter().any(formatted_default)
}
