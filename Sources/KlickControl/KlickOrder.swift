import Control
import Realtime

/// A request to the conductor that follows from a message of klick's.
struct KlickOrder {
  var content: Request.Content
  /// When it takes effect, by the monotonic clock; nil for at once.
  var time: Instant?

  static func update(_ update: Update) -> KlickOrder { KlickOrder(content: .update(update)) }

  static func set(_ setting: Setting, at time: Instant? = nil) -> KlickOrder {
    KlickOrder(content: .update(.set(setting)), time: time)
  }
}
