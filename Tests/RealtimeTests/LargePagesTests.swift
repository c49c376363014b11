import Realtime
import Testing

@Suite struct LargePagesTests {
  @Test(arguments: [1_000, 40_000_000])
  func `Memory keeps what is written while its pages are mapped`(count: Int) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { memory.deallocate() }
    mapInLargePages(UnsafeRawBufferPointer(memory))
    let pages = PagesAhead(UnsafeRawBufferPointer(memory))
    for index in stride(from: 0, to: count, by: 100) { memory[index] = UInt8(truncatingIfNeeded: index) }
    pages.finish()
    #expect(
      stride(from: 0, to: count, by: 100).allSatisfy { memory[$0] == UInt8(truncatingIfNeeded: $0) })
  }
}
