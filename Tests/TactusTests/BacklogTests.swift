import Testing

@testable import tactus

@Test("Lines beyond the limit are counted, and told once when the reader has caught up")
func linesBeyondTheLimitAreCounted() {
  let backlog = Backlog(limit: 3)
  #expect((0..<5).map { _ in backlog.admits() } == [true, true, true, false, false])
  #expect(backlog.finish() == 0)
  #expect(backlog.admits() && !backlog.admits())
  #expect((0..<3).map { _ in backlog.finish() } == [0, 3, 0])
  #expect(backlog.admits() && backlog.finish() == 0)
}
