import Glibc

/// Has the system map large memory in pages of 2 MB where it can: to map pages of 4 kB takes longer than to fill them.
/// - Parameter memory: not used yet.
/// - Thread: any but audio
package func mapInLargePages(_ memory: UnsafeRawBufferPointer) {
  // It is advice, which the system may not take.
  if let pages = largePages(memory) { _ = madvise(pages.baseAddress, pages.count, MADV_HUGEPAGE) }
}

/// Has the system map the pages of large memory on a thread of its own, while another fills them. The system clears each page first,
/// which takes about as long as to fill it.
package final class PagesAhead: Sendable {
  /// Less memory takes no longer than to start a thread for it.
  private static let smallest = 4 << 20

  private let thread: NamedThread?

  /// - Parameter memory: not used yet.
  /// - Thread: any but audio
  package init(_ memory: UnsafeRawBufferPointer) {
    guard memory.count >= PagesAhead.smallest, let pages = largePages(memory) else {
      thread = nil
      return
    }
    // `unsafe`: the thread only names the addresses to the system, which changes no content.
    nonisolated(unsafe) let memory = pages
    // Without the thread, or on Linux before 5.14, which does not know the advice, pages are mapped as they are filled.
    thread = try? NamedThread("pages") { _ = madvise(memory.baseAddress, memory.count, MADV_POPULATE_WRITE) }
  }

  /// Waits for the thread. Memory that is freed before costs time, but the advice changes no content.
  package func finish() { _ = thread?.hasEnded(within: .seconds(60)) }

  deinit { finish() }
}

/// The pages of 2 MB that lie in memory as a whole; nil if there are none.
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
