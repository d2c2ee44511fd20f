//! The loop that takes messages and answers them in their order.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use serde_json::Value;

use crate::Workspace;
use crate::capabilities::ClientSupport;
use crate::checks::{CheckJob, CheckOutcome, Checker};
use crate::diagnostics::file_diagnostics;
use crate::documents::Documents;
use crate::messages::{ErrorKind, Incoming, RequestError, notification, response};
use crate::transport::{Frame, FrameReader, write_message};

/// Number of messages that are read ahead, to find those that cancel others.
const READ_AHEAD: usize = 256;

/// Something that the server reacts to.
pub(crate) enum Event {
    /// A message of the client.
    Message(Incoming),
    /// The end of a check.
    Checked(Box<CheckOutcome>),
    /// The end of the input.
    End,
}

/// State of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionState {
    /// Nothing was requested yet.
    New,
    /// Initialized.
    Running,
    /// The client asked for the end.
    ShutDown,
    /// The session is over.
    Over {
        /// True if the client asked for the end before.
        was_requested: bool,
    },
}

/// A request that waits for the findings of a file.
pub(crate) struct WaitingRequest {
    pub(crate) id: Value,
    pub(crate) method: String,
    pub(crate) params: Value,
    pub(crate) uri: String,
}

/// A session with a client.
pub(crate) struct Server<'o> {
    output: &'o mut dyn Write,
    events: Receiver<Event>,
    pub(crate) checker: Checker,
    queue: VecDeque<Incoming>,
    pub(crate) state: SessionState,
    pub(crate) client: ClientSupport,
    pub(crate) documents: Documents,
    pub(crate) waiting: Vec<WaitingRequest>,
}

/// Serves a client until it leaves. True if it asked for the end with `shutdown`.
///
/// # Errors
///
/// The output cannot be written.
pub fn serve_client(
    workspace: Arc<dyn Workspace>,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<bool> {
    // A client that sends more than is answered waits.
    let (sender, events) = sync_channel(READ_AHEAD);
    let outcomes = sender.clone();
    let checker = Checker::new(workspace, move |outcome| {
        // The server has ended if nobody receives it.
        let _ = outcomes.send(Event::Checked(Box::new(outcome)));
    });
    std::thread::Builder::new().name("reader".to_owned()).spawn(move || read_messages(input, &sender))?;
    let mut server = Server {
        output,
        events,
        checker,
        queue: VecDeque::new(),
        state: SessionState::New,
        client: ClientSupport::default(),
        documents: Documents::default(),
        waiting: Vec::new(),
    };
    server.run_session()
}

fn read_messages(input: impl BufRead, events: &SyncSender<Event>) {
    let mut frames = FrameReader::new(input);
    // An input that cannot be read ends the session: there is no client to answer.
    while let Ok(Some(frame)) = frames.next_frame() {
        let message = match frame {
            Frame::Message(bytes) => Incoming::parse(&bytes),
            Frame::Malformed(message) => {
                Incoming::Invalid { id: Value::Null, kind: ErrorKind::ParseError, message }
            }
        };
        if events.send(Event::Message(message)).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}

impl Server<'_> {
    fn run_session(&mut self) -> io::Result<bool> {
        let mut has_ended = false;
        loop {
            while self.queue.len() < READ_AHEAD {
                let Ok(event) = self.events.try_recv() else { break };
                has_ended |= self.take_event(event)?;
            }
            if let Some(message) = self.queue.pop_front() {
                self.handle_message(message)?;
            } else if has_ended {
                return Ok(self.state == SessionState::ShutDown);
            } else {
                self.check_next()?;
                let Ok(event) = self.events.recv() else { return Ok(false) };
                has_ended |= self.take_event(event)?;
            }
            if let SessionState::Over { was_requested } = self.state {
                return Ok(was_requested);
            }
        }
    }

    /// Takes an event. True if it is the last.
    fn take_event(&mut self, event: Event) -> io::Result<bool> {
        match event {
            Event::End => return Ok(true),
            Event::Message(Incoming::Notification { method, params }) if method == "$/cancelRequest" => {
                self.cancel_request(params.get("id").unwrap_or(&Value::Null))?;
            }
            Event::Message(message) => self.queue.push_back(message),
            Event::Checked(checked) => self.take_check(*checked)?,
        }
        Ok(false)
    }

    /// Answers a request that was not answered yet.
    fn cancel_request(&mut self, cancelled: &Value) -> io::Result<()> {
        let is_queued =
            |message: &Incoming| matches!(message, Incoming::Request { id, .. } if id == cancelled);
        let queued = self.queue.iter().position(is_queued);
        let waiting = self.waiting.iter().position(|request| request.id == *cancelled);
        let found = queued.and_then(|at| self.queue.remove(at)).is_some()
            | waiting.map(|at| self.waiting.remove(at)).is_some();
        if found {
            let error = RequestError::new(ErrorKind::Cancelled, "request was cancelled");
            self.send(&response(cancelled, Err(error)))?;
        }
        Ok(())
    }

    fn handle_message(&mut self, message: Incoming) -> io::Result<()> {
        match message {
            Incoming::Request { id, method, params } => self.handle_request(id, method, params),
            Incoming::Notification { method, params } => self.handle_notification(&method, params),
            Incoming::Response => Ok(()),
            Incoming::Invalid { id, kind, message } => {
                self.send(&response(&id, Err(RequestError::new(kind, message))))
            }
        }
    }

    /// Starts the check of the file that changed last, unless one is running.
    fn check_next(&mut self) -> io::Result<()> {
        if self.checker.is_busy() {
            return Ok(());
        }
        let Some((uri, document)) = self.documents.next_unchecked() else { return Ok(()) };
        let job = CheckJob {
            uri: uri.clone(),
            revision: document.revision,
            started_at: self.documents.change_count(),
            path: document.path.clone(),
            source: Arc::clone(&document.source),
            open: self.documents.texts(),
        };
        self.checker.start_check(job).map_err(io::Error::other)
    }

    /// Publishes the findings of a check. Those of a text that has changed since are for nobody.
    fn take_check(&mut self, checked: CheckOutcome) -> io::Result<()> {
        self.checker.finish();
        let uri = checked.uri.clone();
        if !self.documents.keep_check(checked) {
            return Ok(());
        }
        self.publish_findings(&uri)?;
        let (ready, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|request| request.uri == uri);
        self.waiting = waiting;
        let ready: Vec<WaitingRequest> = ready;
        ready
            .into_iter()
            .try_for_each(|WaitingRequest { id, method, params, .. }| self.handle_request(id, method, params))
    }

    fn publish_findings(&mut self, uri: &str) -> io::Result<()> {
        let Some(document) = self.documents.find(uri) else { return Ok(()) };
        let found = file_diagnostics(uri, document, &self.client);
        self.send(&notification("textDocument/publishDiagnostics", &found))
    }

    /// Sends a message to the client.
    pub(crate) fn send(&mut self, message: &Value) -> io::Result<()> {
        write_message(self.output, message)
    }
}
