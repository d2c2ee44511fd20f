//! The parts of OpenAPI and Swagger documents that lead to schemas.

use PartKind::{
    Callback, Components, Document, Encoding, Header, MediaType, Operation, Parameter, PathItem, RequestBody,
    Response, Schema,
};
use PartShape::{Listed, Named, Single};

/// Kind of a part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PartKind {
    Document,
    Components,
    PathItem,
    Operation,
    Parameter,
    Header,
    RequestBody,
    Response,
    MediaType,
    Encoding,
    Callback,
    Schema,
}

/// Arrangement of parts under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartShape {
    Single,
    Named,
    Listed,
}

/// The parts under the keys of a kind. Keys of Swagger 2.0 and of OpenAPI are together, because none has two meanings.
const PARTS: &[(PartKind, &str, PartShape, PartKind)] = &[
    (Document, "paths", Named, PathItem),
    (Document, "webhooks", Named, PathItem),
    (Document, "components", Single, Components),
    (Document, "definitions", Named, Schema),
    (Document, "parameters", Named, Parameter),
    (Document, "responses", Named, Response),
    (Components, "schemas", Named, Schema),
    (Components, "responses", Named, Response),
    (Components, "parameters", Named, Parameter),
    (Components, "requestBodies", Named, RequestBody),
    (Components, "headers", Named, Header),
    (Components, "callbacks", Named, Callback),
    (Components, "pathItems", Named, PathItem),
    (Components, "mediaTypes", Named, MediaType),
    (PathItem, "parameters", Listed, Parameter),
    (PathItem, "get", Single, Operation),
    (PathItem, "put", Single, Operation),
    (PathItem, "post", Single, Operation),
    (PathItem, "delete", Single, Operation),
    (PathItem, "options", Single, Operation),
    (PathItem, "head", Single, Operation),
    (PathItem, "patch", Single, Operation),
    (PathItem, "trace", Single, Operation),
    (PathItem, "query", Single, Operation),
    (PathItem, "additionalOperations", Named, Operation),
    (Operation, "parameters", Listed, Parameter),
    (Operation, "requestBody", Single, RequestBody),
    (Operation, "responses", Named, Response),
    (Operation, "callbacks", Named, Callback),
    (Parameter, "schema", Single, Schema),
    (Parameter, "content", Named, MediaType),
    (Header, "schema", Single, Schema),
    (Header, "content", Named, MediaType),
    (RequestBody, "content", Named, MediaType),
    (Response, "schema", Single, Schema),
    (Response, "headers", Named, Header),
    (Response, "content", Named, MediaType),
    (MediaType, "schema", Single, Schema),
    (MediaType, "itemSchema", Single, Schema),
    (MediaType, "encoding", Named, Encoding),
    (Encoding, "headers", Named, Header),
];

/// Returns the kind and shape of what is under a key of a part.
pub(super) fn part_under(kind: PartKind, key: &str) -> Option<(PartShape, PartKind)> {
    if kind == Callback && !key.starts_with("x-") {
        return Some((Single, PathItem));
    }
    let found = PARTS.iter().find(|(from, name, ..)| *from == kind && *name == key);
    found.map(|(_, _, shape, to)| (*shape, *to))
}
