import Engine
import MusicTime
import OSC
import OSCControl

/// A subscriber's view of the program, read from the bytes: beats, and the last value of each address.
struct Subscriber {
  /// A reported beat.
  struct Beat {
    /// When it leaves the speakers, in nanoseconds of the simulated monotonic clock.
    let time: UInt64
    let bar: Int
    let beat: Int
    let role: ClickRole
    let strength: Float
    /// The number of the layer to which the pulse belongs; 0 for a beat. For a layer the role has no meaning.
    var layer = 0
    /// Whether it belongs to the pre-roll or the document's count-in.
    var isCounted = false
  }

  /// Addresses that report an event instead of a state.
  private static let moments: Set = ["/tactus/pong", "/tactus/beat/lamp"]

  /// By the address after `/tactus/`; so is `changed`.
  private(set) var values: [String: [OSCArgument]] = [:]
  /// Beats that have not been taken yet.
  var beats: [Beat] = []
  /// Addresses whose value has changed since the last look.
  var changed: Set<String> = []
  private(set) var errors = 0
  /// A digest of all reports, in order.
  private(set) var digest = Digest()

  /// - Parameters:
  ///   - folder: the folder whose name is left out of the digest.
  ///   - time: returns the simulated time of a time tag.
  mutating func receive(_ messages: [OSCMessage], folder: String, time: (OSCTime) -> UInt64) {
    for message in messages {
      digest.add(message, without: folder)
      if message.address == "/tactus/beat" {
        guard 4...5 ~= message.arguments.count, let bar = message.arguments[0].integer,
          let beat = message.arguments[1].integer, let name = message.arguments[2].text,
          let role = name == "layer" ? .subdivision : ClickRole.allCases.first(where: { $0.name == name }),
          let layer = name == "layer" ? message.arguments.last?.integer : 0,
          let strength = message.arguments[3].number,
          let tag = message.time
        else { continue }
        beats.append(
          Beat(
            time: time(tag), bar: bar, beat: beat, role: role, strength: Float(strength), layer: layer,
            isCounted: values["state"]?.first?.text == "counting in"))
      } else if message.address == "/tactus/error" {
        errors += 1
      } else if !Subscriber.moments.contains(message.address) {
        let name = String(message.address.dropFirst("/tactus/".count))
        guard values[name] != message.arguments else { continue }
        values[name] = message.arguments
        changed.insert(name)
      }
    }
  }

  mutating func forget() {
    values = [:]
    beats = []
    changed = []
  }

  // MARK: Values

  func number(_ name: String) -> Double? { values[name]?.first?.number }
  func integer(_ name: String, _ index: Int = 0) -> Int? {
    guard let arguments = values[name], arguments.indices.contains(index) else { return nil }
    return arguments[index].integer
  }
  func text(_ name: String) -> String? { values[name]?.first?.text }
}
