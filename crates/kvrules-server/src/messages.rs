//! Messages of JSON-RPC: requests, notifications, and the answers of clients.

use serde::Serialize;
use serde_json::{Value, json};

/// The codes of errors, as JSON-RPC and the protocol define them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The message is not JSON.
    ParseError,
    /// The message is invalid, or comes at the wrong time.
    InvalidRequest,
    /// The method is unknown.
    UnknownMethod,
    /// The parameters do not fit the method.
    InvalidParams,
    /// The request came before `initialize`.
    NotInitialized,
    /// The client cancelled the request.
    Cancelled,
    /// The file has changed since.
    ContentModified,
    /// The request cannot be carried out.
    Failed,
}

impl ErrorKind {
    fn code(self) -> i32 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::UnknownMethod => -32601,
            Self::InvalidParams => -32602,
            Self::NotInitialized => -32002,
            Self::Cancelled => -32800,
            Self::ContentModified => -32801,
            Self::Failed => -32803,
        }
    }
}

/// An error that answers a request.
#[derive(Debug)]
pub(crate) struct RequestError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

impl RequestError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// A message of the client.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// Asks for an answer.
    Request {
        /// A number or a string.
        id: Value,
        method: String,
        params: Value,
    },
    /// Asks for none.
    Notification { method: String, params: Value },
    /// Answers a request of the server.
    Response,
    /// Is none of these.
    Invalid {
        /// The id of the answer.
        id: Value,
        kind: ErrorKind,
        message: String,
    },
}

impl Incoming {
    /// Reads a message.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(bytes) {
            Ok(message) => Self::from_value(message),
            Err(error) => Self::Invalid {
                id: Value::Null,
                kind: ErrorKind::ParseError,
                message: format!("message is not JSON: {error}"),
            },
        }
    }

    fn from_value(mut message: Value) -> Self {
        let mut take = |key: &str| message.get_mut(key).map(Value::take);
        let (id, method, params) = (take("id"), take("method"), take("params"));
        let params = params.unwrap_or(Value::Null);
        match (id, method) {
            (Some(id @ (Value::Number(_) | Value::String(_))), Some(Value::String(method))) => {
                Self::Request { id, method, params }
            }
            (None, Some(Value::String(method))) => Self::Notification { method, params },
            (Some(_), None) if message.get("result").or(message.get("error")).is_some() => Self::Response,
            (id, _) => Self::Invalid {
                id: id.filter(|id| id.is_number() || id.is_string()).unwrap_or(Value::Null),
                kind: ErrorKind::InvalidRequest,
                message: "message must have a `method`, and an `id` only as a number or a string".to_owned(),
            },
        }
    }
}

/// The answer to a request.
pub(crate) fn response(id: &Value, result: Result<Value, RequestError>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(RequestError { kind, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": kind.code(), "message": message}})
        }
    }
}

/// A notification of the server.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": to_value(params)})
}

/// A request of the server, whose answer is not awaited.
pub(crate) fn request(id: &str, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A value as JSON. Types of the protocol have string keys, so that writing them cannot fail.
pub(crate) fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let kind = |text: &str| match Incoming::parse(text.as_bytes()) {
            Incoming::Request { method, .. } => format!("request {method}"),
            Incoming::Notification { method, .. } => format!("notification {method}"),
            Incoming::Response => "response".to_owned(),
            Incoming::Invalid { id, kind, .. } => format!("{kind:?} {id}"),
        };
        assert_eq!(kind(r#"{"id": 1, "method": "a"}"#), "request a");
        assert_eq!(kind(r#"{"method": "a", "params": {}}"#), "notification a");
        assert_eq!(kind(r#"{"id": 1, "result": null}"#), "response");
        assert_eq!(kind(r#"{"id": 1}"#), "InvalidRequest 1");
        assert_eq!(kind(r#"{"id": {}, "method": "a"}"#), "InvalidRequest null");
        assert_eq!(kind("[]"), "InvalidRequest null");
        assert_eq!(kind("{"), "ParseError null");
    }
}
