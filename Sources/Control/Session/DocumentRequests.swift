/// Requests for the documents. They are listed once at a time, because that reads them; the requests that arrive meanwhile share
/// the next list.
struct DocumentRequests {
  typealias Answer = @Sendable ([DocumentSummary]) -> Void

  /// How many requests may wait.
  static let capacity = 64

  private var isListing = false
  private var waiting: [Answer] = []

  /// Adds a request.
  /// - Returns: false if too many wait.
  mutating func add(_ answer: @escaping Answer) -> Bool {
    guard waiting.count < DocumentRequests.capacity else { return false }
    waiting.append(answer)
    return true
  }

  /// Begins a list for the requests that wait.
  /// - Returns: what answers them all; nil if none waits or the documents are being listed.
  mutating func begin() -> Answer? {
    guard !isListing, !waiting.isEmpty else { return nil }
    isListing = true
    defer { waiting = [] }
    return { [waiting] documents in for answer in waiting { answer(documents) } }
  }

  /// Notes that the documents have been listed.
  mutating func end() { isListing = false }
}
