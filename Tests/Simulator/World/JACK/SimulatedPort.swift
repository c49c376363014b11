import CJack
import Glibc
import MIDI

/// A port of the simulated server. libjack's clients identify it by its address.
final class SimulatedPort {
  static let longestPeriod = 8_192
  private static let mostMessages = 2_048
  /// Bytes reserved per message: MIDI timecode's full frames have ten.
  private static let longestMessage = 16

  let id: UInt32
  let name: String
  let isAudio: Bool
  let isInput: Bool
  let isPhysical: Bool
  /// The name of the device, which also identifies the port.
  let alias: String?
  /// Frames from the port to the speakers, or from an instrument to it. MIDI outputs have the same latency as audio.
  var latency: UInt32 = 0
  var peers: [SimulatedPort] = []

  let cName: UnsafeMutablePointer<CChar>
  let cType: UnsafeMutablePointer<CChar>
  /// The samples of a period.
  let samples: UnsafeMutablePointer<Float>
  private let bytes: UnsafeMutablePointer<UInt8>
  private(set) var messages: [(frame: UInt32, size: Int)] = []

  init(id: UInt32, _ kind: Kind) {
    self.id = id
    (name, isAudio, isInput) = (kind.name, kind.isAudio, kind.isInput)
    (isPhysical, alias) = (kind.isPhysical, kind.alias)
    cName = strdup(kind.name)
    cType = strdup(kind.isAudio ? JACK_DEFAULT_AUDIO_TYPE : JACK_DEFAULT_MIDI_TYPE)
    samples = .allocate(capacity: kind.isAudio ? SimulatedPort.longestPeriod : 1)
    if kind.isAudio { samples.initialize(repeating: 0, count: SimulatedPort.longestPeriod) }
    bytes = .allocate(capacity: kind.isAudio ? 1 : SimulatedPort.mostMessages * SimulatedPort.longestMessage)
  }

  deinit {
    Glibc.free(cName)
    Glibc.free(cType)
    samples.deallocate()
    bytes.deallocate()
  }

  /// The properties of a port before it has a number.
  struct Kind {
    let name: String
    var isAudio = true
    var isInput = true
    var isPhysical = false
    var alias: String?
  }

  var flags: UInt {
    UInt((isInput ? JackPortIsInput : JackPortIsOutput).rawValue)
      | (isPhysical ? UInt(JackPortIsPhysical.rawValue) : 0)
  }

  var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

  /// Frames on the longest path.
  var latencyOfPeers: UInt32 { isAudio || isInput ? peers.map(\.latency).max() ?? 0 : latency }

  // MARK: MIDI messages

  func clear() { messages = [] }

  func send(_ message: MIDIMessage, at frame: Int) {
    let bytes = message.bytes
    guard let data = reserve(UInt32(frame), bytes.length) else { return }
    data[0] = bytes.status
    if bytes.length > 1 { data[1] = bytes.first }
    if bytes.length > 2 { data[2] = bytes.second }
  }

  /// Reserves a message; nil if there is no room.
  func reserve(_ frame: UInt32, _ size: Int) -> UnsafeMutablePointer<UInt8>? {
    // JACK refuses such a message, and it would be lost.
    precondition(messages.last.map { $0.frame <= frame } ?? true, "MIDI messages are out of order")
    guard messages.count < SimulatedPort.mostMessages, size <= SimulatedPort.longestMessage else {
      return nil
    }
    messages.append((frame, size))
    return message(messages.count - 1)
  }

  func message(_ index: Int) -> UnsafeMutablePointer<UInt8> { bytes + index * SimulatedPort.longestMessage }
}
