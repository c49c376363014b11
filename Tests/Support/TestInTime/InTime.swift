import Synchronization
import TestBench
import Testing

/// For tests of what sounds when: what fails while the machine holds the JACK server or its clients up says nothing, and is
/// played anew. After five such times the next one counts, however it was disturbed.
public struct InTime: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing play: @Sendable () async throws -> Void
  ) async throws {
    for _ in 0..<5 {
      ServerWatch.forget()
      let again = Atomic(false)
      try await withKnownIssue("the machine held the server up", isIntermittent: true) {
        try await play()
      } matching: { _ in
        let isHeldUp = ServerWatch.latestSawHoldUp
        if isHeldUp { again.store(true, ordering: .relaxed) }
        return isHeldUp
      }
      guard again.load(ordering: .relaxed) else { return }
    }
    try await play()
  }
}

extension Trait where Self == InTime {
  /// What fails while the machine holds the server up is played anew.
  public static var inTime: InTime { InTime() }
}
