//! Pictures that a page repeats are written once: definitions have the same pattern at many fields.

use std::collections::HashMap;
use std::fmt::Write as _;

/// Start of an inline picture.
const START: &str = "<svg class=\"kvp\"";
/// End of the text alternative, after which the elements begin.
const BODY: &str = "</desc>";
const END: &str = "</svg>";
/// Shorter elements are as long as the reference to them.
const SHORTEST: usize = 400;

/// Returns a page in which pictures that look the same have their elements once: others refer to the first by its identifier.
///
/// ```
/// let picture = kvrules_pages::pictures::draw_pattern("^[a-z]([-a-z0-9]*[a-z0-9])?$").unwrap().to_inline();
/// let page = kvrules_pages::pictures::share_bodies(&format!("{picture}<p>and</p>{picture}"));
/// assert!(page.len() < 2 * picture.len() && page.contains("<use href=\"#kvp-1\"/>"));
/// assert_eq!(kvrules_pages::pictures::share_bodies(&picture), picture);
/// ```
pub fn share_bodies(page: &str) -> String {
    let parts: Vec<(&str, Option<&str>)> = split_pictures(page).collect();
    let mut seen: HashMap<&str, SeenBody> = HashMap::new();
    for body in parts.iter().filter_map(|(_, body)| *body).filter(|body| body.len() >= SHORTEST) {
        seen.entry(body).or_default().uses += 1;
    }
    let mut numbers = 0;
    let mut shared = String::with_capacity(page.len());
    for (before, body) in parts {
        shared.push_str(before);
        let Some(body) = body else { continue };
        let known =
            if body.len() >= SHORTEST { seen.get_mut(body).filter(|known| known.uses > 1) } else { None };
        // Writing to a string does not fail.
        let _ = match known {
            Some(SeenBody { number: Some(number), .. }) => write!(shared, "<use href=\"#kvp-{number}\"/>"),
            Some(known) => {
                numbers += 1;
                known.number = Some(numbers);
                write!(shared, "<g id=\"kvp-{numbers}\">{body}</g>")
            }
            None => write!(shared, "{body}"),
        };
    }
    shared
}

/// The elements of a picture on a page.
#[derive(Default)]
struct SeenBody {
    uses: usize,
    /// Their number, once they are written.
    number: Option<usize>,
}

/// The page in parts: text up to the elements of a picture, and these elements.
fn split_pictures(page: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(page);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some((start, end)) = find_body(text) else { return Some((text, None)) };
        let (before, tail) = text.split_at_checked(start)?;
        let (body, after) = tail.split_at_checked(end - start)?;
        rest = Some(after);
        Some((before, Some(body)))
    })
}

/// The range of the elements of the first picture.
fn find_body(text: &str) -> Option<(usize, usize)> {
    let picture = text.find(START)?;
    let start = picture + text.get(picture..)?.find(BODY)? + BODY.len();
    let end = start + text.get(start..)?.find(END)?;
    Some((start, end))
}
