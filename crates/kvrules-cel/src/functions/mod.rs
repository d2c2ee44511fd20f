//! The functions of the server's dialect: one table of names, parameters and results.
//!
//! Checker, cost and evaluation all read it. What a function does is in `eval`; here is only how it may be called.
//! Names, overload identifiers and types are facts of the CEL specification, cel-go's extension libraries and
//! Kubernetes' own libraries.

mod kubernetes;
pub(crate) mod kyverno;
mod lists;
mod standard;
mod strings;
pub(crate) mod template;

/// A type in a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureType {
    /// Anything, not checked.
    Dyn,
    /// `null`
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `google.protobuf.Duration`
    Duration,
    /// A type parameter: the same type wherever the letter stands.
    Param(char),
    /// `list(…)`
    List(&'static SignatureType),
    /// `map(…, …)`
    Map(&'static SignatureType, &'static SignatureType),
    /// `optional_type(…)`
    Optional(&'static SignatureType),
    /// `type(…)`
    Type(&'static SignatureType),
    /// A type of Kubernetes' libraries, by its name, such as `kubernetes.Quantity`.
    Opaque(&'static str),
}

/// One way to call a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overload {
    /// The name as written; operators have the names in [`crate::ast::operators`], functions of a namespace their
    /// whole name (`strings.quote`).
    pub name: &'static str,
    /// The identifier that cel-go or Kubernetes gives this overload.
    pub id: &'static str,
    /// True if it is written `a.f(b)`; then the first parameter is the receiver.
    pub member: bool,
    /// Types of the parameters.
    pub params: &'static [SignatureType],
    /// Type of the result.
    pub result: SignatureType,
}

pub(crate) const fn global_overload(
    name: &'static str,
    id: &'static str,
    params: &'static [SignatureType],
    result: SignatureType,
) -> Overload {
    Overload { name, id, member: false, params, result }
}

pub(crate) const fn member_overload(
    name: &'static str,
    id: &'static str,
    params: &'static [SignatureType],
    result: SignatureType,
) -> Overload {
    Overload { name, id, member: true, params, result }
}

pub(crate) const A: SignatureType = SignatureType::Param('A');
pub(crate) const B: SignatureType = SignatureType::Param('B');
pub(crate) const LIST_A: SignatureType = SignatureType::List(&A);
pub(crate) const MAP_A_B: SignatureType = SignatureType::Map(&A, &B);
const OPTIONAL_A: SignatureType = SignatureType::Optional(&A);

/// All overloads, those of one function in the order in which they are tried.
pub fn all_overloads() -> impl Iterator<Item = &'static Overload> {
    [standard::OVERLOADS, strings::OVERLOADS, lists::OVERLOADS, kubernetes::OVERLOADS].into_iter().flatten()
}

/// Library of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// CEL itself, with optionals and conversions.
    Standard,
    /// Functions on strings.
    Strings,
    /// Functions on lists.
    Lists,
    /// Kubernetes' own types.
    Kubernetes,
}

/// The libraries that have functions with a name.
///
/// ```
/// use kvrules_cel::functions::{Library, find_libraries};
/// assert_eq!(find_libraries("quantity").collect::<Vec<_>>(), [Library::Kubernetes]);
/// ```
pub fn find_libraries(name: &str) -> impl Iterator<Item = Library> {
    let tables = [
        (Library::Standard, standard::OVERLOADS),
        (Library::Strings, strings::OVERLOADS),
        (Library::Lists, lists::OVERLOADS),
        (Library::Kubernetes, kubernetes::OVERLOADS),
    ];
    let has = move |(_, overloads): &(Library, &[Overload])| overloads.iter().any(|it| it.name == name);
    tables.into_iter().filter(has).map(|(library, _)| library)
}

/// The overloads of one function, written as a member or not.
pub fn find_overloads(name: &str, member: bool) -> impl Iterator<Item = &'static Overload> {
    all_overloads().filter(move |overload| overload.name == name && overload.member == member)
}

/// All overloads that Kyverno adds.
pub(crate) fn kyverno_overloads() -> impl Iterator<Item = &'static Overload> {
    kyverno::OVERLOADS.iter()
}

/// True if any function has this name.
pub fn is_function(name: &str) -> bool {
    all_overloads().any(|overload| overload.name == name)
}

/// True if a name is the front part of functions with dotted names, as `strings` of `strings.quote`.
pub fn is_namespace(name: &str) -> bool {
    all_overloads().any(|overload| overload.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_overload_is_listed_twice() {
        let mut seen = BTreeSet::new();
        for overload in all_overloads().chain(kyverno_overloads()) {
            assert!(seen.insert(overload.id), "{}", overload.id);
        }
    }

    #[test]
    fn the_names_of_namespaces_are_found() {
        assert!(is_namespace("strings"));
        assert!(!is_namespace("string"));
        assert!(find_overloads("size", true).count() >= 4);
    }
}
