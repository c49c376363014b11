import Control
import Synchronization

/// Lists the documents of the session folder. Clients may request the list often, so it is reused for two seconds. Documents
/// that can't be read within two seconds are listed only by their names.
final class DocumentListing: Sendable {
  private static let age = Duration.seconds(2)
  private static let readingTime = Duration.seconds(2)

  private let list: @Sendable (_ isLate: () -> Bool) -> [DocumentSummary]
  private let last = Mutex<(documents: [DocumentSummary], time: ContinuousClock.Instant)?>(nil)

  /// - Parameter list: lists the documents; once `isLate` returns true, it must not read further ones.
  init(_ list: @escaping @Sendable (_ isLate: () -> Bool) -> [DocumentSummary]) { self.list = list }

  /// The documents; blocks for up to two seconds and the reading of one document.
  /// - Thread: any but audio and control
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
