//! The functions that a page calls. The memory that both sides use belongs to two buffers, so that no address is read here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::answer_request;

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Makes room for a request of so many bytes, and returns its address.
#[expect(unsafe_code, reason = "a page finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn reserve_request(length: usize) -> *mut u8 {
    let mut request = lock(&REQUEST);
    request.clear();
    request.resize(length, 0);
    request.as_mut_ptr()
}

/// Answers the request, and returns the number of bytes of the answer.
#[expect(unsafe_code, reason = "a page finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer_reserved() -> usize {
    let request = std::mem::take(&mut *lock(&REQUEST));
    let answered = answer_request(&request).into_bytes();
    let length = answered.len();
    *lock(&ANSWER) = answered;
    length
}

/// Returns the address of the answer, which is valid until the next call of [`answer_reserved`].
#[expect(unsafe_code, reason = "a page finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer_address() -> *const u8 {
    lock(&ANSWER).as_ptr()
}

fn lock(buffer: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_as_long_as_announced() {
        reserve_request(3);
        let length = answer_reserved();
        assert_eq!(length, lock(&ANSWER).len());
        assert!(length > 0 && !answer_address().is_null());
    }
}
