//! Work on many files or pages at once, on the threads of the caller's pool.

use std::cmp::Reverse;

use rayon::prelude::*;

/// Calls a function with every item and returns its results in the order of the items. The threads take one item at a time, those of
/// the largest size first: a large item that is taken last leaves all threads but one idle.
///
/// ```
/// use kvrules_pages::largest_first;
///
/// let texts = ["a", "abc", "ab"];
/// assert_eq!(largest_first(&texts, |text| text.len(), |text| text.to_uppercase()), ["A", "ABC", "AB"]);
/// ```
pub fn largest_first<I: Sync, T: Send>(
    items: &[I],
    size: impl Fn(&I) -> usize,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let mut order: Vec<(usize, &I)> = items.iter().enumerate().collect();
    order.sort_by_cached_key(|(_, item)| Reverse(size(item)));
    // `par_bridge` hands out single items. An indexed iterator hands out halves of the list, which may differ much
    // in size, and a thread that waits for a part of its own item may start another one.
    let mut done: Vec<(usize, T)> =
        order.into_iter().par_bridge().map(|(index, item)| (index, work(item))).collect();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use super::*;

    /// The time after which a test gives up.
    const MOST: Duration = Duration::from_secs(60);

    #[test]
    fn the_largest_is_taken_first_and_the_order_of_results_is_that_of_the_items() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let taken = Mutex::new(Vec::new());
        let work = |size: &usize| {
            taken.lock().unwrap().push(*size);
            size * 10
        };
        let results = pool.install(|| largest_first(&[2, 9, 4, 9, 1], |size| *size, work));
        assert_eq!(results, [20, 90, 40, 90, 10]);
        assert_eq!(taken.into_inner().unwrap(), [9, 9, 4, 2, 1]);
    }

    #[test]
    fn each_item_is_taken_by_itself() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let sizes: Vec<usize> = (0..100).collect();
        // One thread is blocked in the largest item until all others are done, which only the other thread can do.
        let (left, all_done) = (Mutex::new(99), Condvar::new());
        let work = |size: &usize| {
            let mut left = left.lock().unwrap();
            if *size < 99 {
                *left -= 1;
                all_done.notify_all();
                return true;
            }
            let (left, _) = all_done.wait_timeout_while(left, MOST, |left| *left > 0).unwrap();
            *left == 0
        };
        assert_eq!(pool.install(|| largest_first(&sizes, |size| *size, work)), [true; 100]);
    }
}
