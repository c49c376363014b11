import Control
import Realtime

/// Something that klick's messages ask of the conductor.
struct KlickOrder {
  var content: Request.Content
  /// When it is to take effect, by the monotonic clock; nil for at once.
  var time: Instant?

  static func update(_ update: Update) -> KlickOrder { KlickOrder(content: .update(update)) }

  static func set(_ setting: Setting, at time: Instant? = nil) -> KlickOrder {
    KlickOrder(content: .update(.set(setting)), time: time)
  }
}
