//! Work done by several threads, with its results in order.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::failure::Failure;

/// Number of jobs in progress for each thread: enough that none waits while results are printed.
const AHEAD: usize = 4;
/// Each thread gets the room that the main thread has: nesting in a text is nesting on the stack.
const STACK: usize = 8 << 20;

/// Function to which a source of jobs gives them.
pub(super) type SendJob<'g, J> = &'g mut dyn FnMut(J) -> Result<(), Failure>;

/// A job, and where its result goes.
type PostedJob<J, R> = (J, Sender<R>);

/// Does each job that `source` gives, and takes the results in the order of the jobs. No more than a few jobs for each
/// thread are held at a time. `worker` is called once in each thread, and what it returns does the jobs there.
pub(super) fn in_order<J: Send, R: Send, W: FnMut(J) -> R>(
    threads: NonZeroUsize,
    worker: impl Fn() -> W + Sync,
    source: impl FnOnce(SendJob<'_, J>) -> Result<(), Failure>,
    mut take: impl FnMut(R) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (post, posted) = mpsc::channel::<PostedJob<J, R>>();
    let posted = Mutex::new(posted);
    thread::scope(|scope| {
        // Owned by this closure, so that the channel closes and the threads end when it returns.
        let post = post;
        for _ in 0..threads.get() {
            let (worker, posted) = (&worker, &posted);
            let thread = thread::Builder::new().stack_size(STACK);
            let started = thread.spawn_scoped(scope, move || run_jobs(worker(), posted));
            started.map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        }
        let mut pending = VecDeque::new();
        source(&mut |job| {
            let (send, result) = mpsc::channel();
            post.send((job, send)).map_err(|_| thread_failure())?;
            pending.push_back(result);
            if pending.len() <= threads.get().saturating_mul(AHEAD) {
                return Ok(());
            }
            pending.pop_front().map_or(Ok(()), |result| take(await_result(&result)?))
        })?;
        pending.iter().try_for_each(|result| take(await_result(result)?))
    })
}

/// Does jobs until there are no more.
fn run_jobs<J, R>(mut work: impl FnMut(J) -> R, posted: &Mutex<Receiver<PostedJob<J, R>>>) {
    loop {
        let next = posted.lock().map(|posted| posted.recv());
        let Ok(Ok((job, send))) = next else { return };
        // Sending fails only if the run has failed and no longer waits for results.
        let _ = send.send(work(job));
    }
}

fn await_result<R>(result: &Receiver<R>) -> Result<R, Failure> {
    result.recv().map_err(|_| thread_failure())
}

/// A thread ends early only when it panics, which is reported already.
fn thread_failure() -> Failure {
    Failure::new("a thread stopped before its work was done")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(threads: usize, jobs: u64) -> Result<Vec<u64>, Failure> {
        let mut taken = Vec::new();
        let worker = || {
            |job: u64| {
                // Jobs with even numbers take longer, so that those with odd numbers overtake them.
                thread::sleep(std::time::Duration::from_micros((job + 1) % 2 * 50));
                job * job
            }
        };
        let source = |give: SendJob<'_, u64>| (0..jobs).try_for_each(give);
        let threads = NonZeroUsize::new(threads).unwrap();
        in_order(threads, worker, source, |square| {
            if square == 10_000 {
                return Err(Failure::new("too large"));
            }
            taken.push(square);
            Ok(())
        })?;
        Ok(taken)
    }

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for threads in [1, 2, 7] {
            let expected: Vec<_> = (0..90).map(|job| job * job).collect();
            assert_eq!(squares(threads, 90).unwrap(), expected);
        }
        assert_eq!(squares(3, 0).unwrap(), Vec::<u64>::new());
    }

    #[test]
    fn a_failure_to_take_a_result_ends_the_run() {
        assert!(squares(3, 100_000).is_err());
    }
}
