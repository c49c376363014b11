import Glibc

/// Asks the system to map large memory in pages of 2 MB: mapping pages of 4 kB takes longer than filling them.
/// - Parameter memory: not used yet.
/// - Thread: any but audio
package func mapInLargePages(_ memory: UnsafeRawBufferPointer) {
  // The system may ignore this advice.
  if let pages = largePages(memory) { _ = madvise(pages.baseAddress, pages.count, MADV_HUGEPAGE) }
}

/// Asks the system to map the pages of large memory on a separate thread, while another thread fills them. The system
/// clears each page first, which takes about as long as filling it.
package final class PagesAhead: Sendable {
  /// Bytes below which mapping takes no longer than starting a thread.
  private static let smallest = 4 << 20

  private let thread: NamedThread?

  /// - Parameter memory: not used yet.
  /// - Thread: any but audio
  package init(_ memory: UnsafeRawBufferPointer) {
    guard memory.count >= PagesAhead.smallest, let pages = largePages(memory) else {
      thread = nil
      return
    }
    // `unsafe`: the thread only passes the addresses to the system, which changes no content.
    nonisolated(unsafe) let memory = pages
    // Without the thread, or on Linux before 5.14, which does not know the advice, pages are mapped as they are filled.
    thread = try? NamedThread("pages") { _ = madvise(memory.baseAddress, memory.count, MADV_POPULATE_WRITE) }
  }

  /// Waits for the thread, at most 60 seconds. Memory that is freed earlier costs time, but the advice changes no content.
  /// - Thread: any but audio
  package func finish() { _ = thread?.hasEnded(within: .seconds(60)) }

  deinit { finish() }
}

/// The pages of 2 MB that lie completely in this memory; nil if there are none.
private func largePages(_ memory: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer? {
  let page: UInt = 1 << 21
  guard let base = memory.baseAddress.map({ UInt(bitPattern: $0) }) else { return nil }
  let start = (base + page - 1) / page * page
  let end = (base + UInt(memory.count)) / page * page
  guard start < end else { return nil }
  return UnsafeMutableRawBufferPointer(
    start: UnsafeMutableRawPointer(bitPattern: start), count: Int(end - start))
}

extension Array {
  /// An empty array with room in large pages.
  package init(inLargePages capacity: Int) {
    self.init(unsafeUninitializedCapacity: capacity) { memory, _ in
      mapInLargePages(UnsafeRawBufferPointer(memory))
    }
  }
}
