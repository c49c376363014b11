import MusicTime
import Testing

/// Expects a value to be refused with exactly this text.
func expectRefusal(
  _ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ make: () throws -> some Any
) {
  do {
    let value = try make()
    Issue.record("\(value) was accepted", sourceLocation: sourceLocation)
  } catch {
    #expect("\(error)" == message, sourceLocation: sourceLocation)
  }
}
