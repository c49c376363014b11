import Validation

/// The OSC addresses that are told of everything without asking, for as long as Tactus runs and after restarts.
package struct FeedbackList: Equatable, Sendable {
  /// How many there may be.
  package static let limit = 8
  /// The longest one, in bytes.
  private static let longest = 256

  /// URLs, the oldest first, each once.
  package private(set) var urls: [String] = []

  package init() {}

  /// Adds an address, unless it is there already.
  /// - Throws: `InvalidValue` if there are too many.
  package mutating func add(_ url: String) throws(InvalidValue) {
    guard url.utf8.count <= FeedbackList.longest else {
      throw InvalidValue("feedback", quoted(url), allowed: "at most \(FeedbackList.longest) bytes long")
    }
    guard !urls.contains(url) else { return }
    guard urls.count < FeedbackList.limit else {
      throw InvalidValue(
        "feedback", quoted(url), allowed: "one of at most \(FeedbackList.limit): remove another one first")
    }
    urls.append(url)
  }

  /// - Throws: `InvalidValue` if it is not there.
  package mutating func remove(_ url: String) throws(InvalidValue) {
    guard let index = urls.firstIndex(of: url) else {
      throw InvalidValue("feedback", quoted(url), allowed: "one that /tactus/feedback lists")
    }
    urls.remove(at: index)
  }
}

/// A change of who is told of everything.
package enum FeedbackUpdate: Equatable, Sendable {
  case add(url: String)
  case remove(url: String)
}
