import Validation

/// The OSC addresses that receive all changes without a subscription, also after a restart.
package struct FeedbackList: Equatable, Sendable {
  /// The maximum number of addresses.
  package static let limit = 8
  /// The maximum length of an address, in bytes.
  private static let longest = 256

  /// URLs, oldest first, without duplicates.
  package private(set) var urls: [String] = []

  package init() {}

  /// Adds an address, unless it is already in the list.
  /// - Throws: `InvalidValue` if the list is full or the address is too long.
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

  /// - Throws: `InvalidValue` if the address is not in the list.
  package mutating func remove(_ url: String) throws(InvalidValue) {
    guard let index = urls.firstIndex(of: url) else {
      throw InvalidValue("feedback", quoted(url), allowed: "one that /tactus/feedback lists")
    }
    urls.remove(at: index)
  }
}

/// A change of the feedback addresses.
package enum FeedbackUpdate: Equatable, Sendable {
  case add(url: String)
  case remove(url: String)
}
