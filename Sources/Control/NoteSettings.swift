import Engine
import MusicTime

/// What the settings of the notes may be.
extension NoteOutput {
  /// - Throws: `InvalidValue` outside 0…127.
  mutating func set(_ role: Role, _ note: Int) throws(InvalidValue) {
    guard 0...127 ~= note else { throw InvalidValue("note of \(role.name)", "\(note)", allowed: "0…127") }
    numbers[role] = UInt8(note)
  }

  /// - Throws: `InvalidValue` outside 1…16.
  mutating func set(channel: Int) throws(InvalidValue) {
    guard 1...16 ~= channel else { throw InvalidValue("channel of the notes", "\(channel)", allowed: "1…16") }
    self.channel = UInt8(channel)
  }

  /// - Throws: `InvalidValue` outside 1…5000.
  mutating func set(length: Int) throws(InvalidValue) {
    guard 1...5_000 ~= length else {
      throw InvalidValue("length of the notes", "\(length)", allowed: "1…5000 milliseconds")
    }
    self.length = length
  }
}
