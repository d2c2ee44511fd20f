//! Random objects for the schema of random rules.

use serde_json::{Map, Value as Json, json};

use super::authored::random_number;
use crate::Random;

/// A random object that the schema accepts.
pub fn random_object(random: &mut Random) -> Json {
    let texts = [
        "a",
        "b",
        "ab",
        "ba",
        "c",
        "",
        "1",
        "1Ki",
        "512Mi",
        "1Gi",
        "10.0.0.1",
        "10.0.0.0/8",
        "a.b",
        "abc",
        "a-",
    ];
    let text = |random: &mut Random| Json::from(*random.choose(&texts));
    let number = |random: &mut Random| Json::from(random.between(-2, 4));
    let mut spec = Map::new();
    for name in ["s", "t", "q"] {
        if random.chance(2, 3) {
            spec.insert(name.to_owned(), text(random));
        }
    }
    for name in ["n", "m"] {
        if random.chance(2, 3) {
            spec.insert(name.to_owned(), number(random));
        }
    }
    if random.chance(2, 3) {
        spec.insert("x".to_owned(), random_number(random, -3, 7));
    }
    if random.chance(1, 3) {
        spec.insert("dn".to_owned(), number(random));
    }
    if random.chance(1, 3) {
        spec.insert("ds".to_owned(), text(random));
    }
    if random.chance(1, 3) {
        let inner = if random.chance(1, 2) { json!({ "b": number(random) }) } else { json!({}) };
        spec.insert("e".to_owned(), inner);
    }
    if random.chance(2, 3) {
        spec.insert("on".to_owned(), random.chance(1, 2).into());
    }
    add_nullable_fields(random, &mut spec, &texts);
    if random.chance(3, 4) {
        spec.insert("f".to_owned(), (0..random.below(3)).map(|_| text(random)).collect());
    }
    if random.chance(3, 4) {
        let item = |random: &mut Random| {
            let mut item = Map::new();
            for name in ["k", "q"] {
                if random.chance(2, 3) {
                    item.insert(name.to_owned(), text(random));
                }
            }
            if random.chance(2, 3) {
                item.insert("n".to_owned(), number(random));
            }
            if random.chance(1, 3) {
                item.insert("d".to_owned(), text(random));
            }
            if random.chance(1, 2) {
                item.insert("x".to_owned(), random_number(random, -3, 7));
            }
            Json::Object(item)
        };
        spec.insert("l".to_owned(), (0..random.below(3)).map(|_| item(random)).collect());
    }
    if random.chance(2, 3) {
        let keys = ["a", "b", "c"].into_iter().filter(|_| random.chance(1, 2)).collect::<Vec<_>>();
        let entries = keys.into_iter().map(|key| (key.to_owned(), number(random)));
        spec.insert("p".to_owned(), Json::Object(entries.collect()));
    }
    if random.chance(2, 3) {
        let mut inner = Map::new();
        if random.chance(2, 3) {
            inner.insert("a".to_owned(), text(random));
        }
        for name in ["b", "c"] {
            if random.chance(2, 3) {
                inner.insert(name.to_owned(), number(random));
            }
        }
        spec.insert("o".to_owned(), Json::Object(inner));
    }
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Pond", "metadata": {"name": "pond"}});
    if random.chance(9, 10) {
        object["spec"] = Json::Object(spec);
    }
    object
}

/// Adds the fields that may be null, often with null.
fn add_nullable_fields(random: &mut Random, spec: &mut Map<String, Json>, texts: &[&str]) {
    let number =
        |random: &mut Random| if random.chance(1, 3) { Json::Null } else { random.between(-2, 4).into() };
    let text =
        |random: &mut Random| if random.chance(1, 3) { Json::Null } else { (*random.choose(texts)).into() };
    if random.chance(2, 3) {
        spec.insert("nn".to_owned(), number(random));
    }
    if random.chance(2, 3) {
        spec.insert("ns".to_owned(), text(random));
    }
    if random.chance(2, 3) {
        let mut inner = json!({ "i": number(random) });
        if random.chance(2, 3) {
            inner["t"] = text(random);
        }
        spec.insert("r".to_owned(), inner);
    }
    if random.chance(2, 3) {
        spec.insert("g".to_owned(), (0..random.below(3)).map(|_| number(random)).collect());
    }
}
