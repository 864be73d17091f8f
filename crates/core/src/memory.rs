//! Advice to the system about memory.

/// Rooms below this many bytes are filled before large pages pay.
const LEAST_BYTES: usize = 4 << 20;
/// The system takes advice on whole small pages only.
const PAGE: usize = 4096;

/// Asks for large pages behind room that is about to be filled for the first time.
///
/// A large result in small pages takes a fifth of the time of encoding to get from the system. Where there is no
/// such advice, or no large page to be had, nothing happens.
pub(crate) fn prefer_large_pages<T>(room: &mut Vec<T>) {
    let (start, bytes) = (room.as_ptr().addr(), room.capacity() * size_of::<T>());
    if bytes >= LEAST_BYTES {
        advise(start.next_multiple_of(PAGE), start + bytes);
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the one call to the system for memory that a vector owns")]
fn advise(start: usize, end: usize) {
    // SAFETY: this advice changes the size of pages, and never what is in them or who may use them.
    unsafe {
        libc::madvise(std::ptr::without_provenance_mut(start), end - start, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: usize, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_changes_nothing_but_pages() {
        for count in [0, 1, LEAST_BYTES / 4, LEAST_BYTES + 5] {
            let mut room: Vec<u32> = Vec::with_capacity(count);
            prefer_large_pages(&mut room);
            room.extend(0..count as u32);
            assert!(room.iter().copied().eq(0..count as u32));
            prefer_large_pages(&mut room);
            assert_eq!(room.len(), count);
        }
    }
}
