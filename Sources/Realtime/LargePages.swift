import Glibc

/// Has the system map large memory in pages of 2 MB where it can: to map pages of 4 kB takes longer than to fill them.
/// - Parameter memory: not used yet.
/// - Thread: any but audio
public func mapInLargePages(_ memory: UnsafeRawBufferPointer) {
  let page: UInt = 1 << 21
  guard let base = memory.baseAddress.map({ UInt(bitPattern: $0) }) else { return }
  let start = (base + page - 1) / page * page
  let end = (base + UInt(memory.count)) / page * page
  guard start < end else { return }
  // It is advice, which the system may not take.
  _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_HUGEPAGE)
}

extension Array {
  /// An empty array with room in large pages.
  public init(inLargePages capacity: Int) {
    self.init(unsafeUninitializedCapacity: capacity) { memory, _ in
      mapInLargePages(UnsafeRawBufferPointer(memory))
    }
  }
}
