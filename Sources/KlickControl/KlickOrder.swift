import Control

/// Something that klick's messages ask of the conductor.
struct KlickOrder {
  var content: Request.Content
  /// When it is to take effect, by the monotonic clock; nil for at once.
  var time: UInt64?

  static func update(_ update: Update) -> KlickOrder { KlickOrder(content: .update(update)) }

  static func set(_ setting: Setting, at time: UInt64? = nil) -> KlickOrder {
    KlickOrder(content: .update(.set(setting)), time: time)
  }
}
