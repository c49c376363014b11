import Control
import Synchronization

/// The documents of the session folder for clients that may ask as often as they like: a list holds for two seconds, and what
/// takes longer to read is listed by its name.
final class DocumentListing: Sendable {
  private static let age = Duration.seconds(2)
  private static let readingTime = Duration.seconds(2)

  private let list: @Sendable (_ isLate: () -> Bool) -> [DocumentSummary]
  private let last = Mutex<(documents: [DocumentSummary], time: ContinuousClock.Instant)?>(nil)

  init(_ list: @escaping @Sendable (_ isLate: () -> Bool) -> [DocumentSummary]) { self.list = list }

  func documents() -> [DocumentSummary] {
    last.withLock { last in
      if let last, .now - last.time < DocumentListing.age { return last.documents }
      let end = ContinuousClock.now + DocumentListing.readingTime
      let documents = list { .now > end }
      last = (documents, .now)
      return documents
    }
  }
}
