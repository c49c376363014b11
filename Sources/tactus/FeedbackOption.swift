import OSC
import Validation

/// The value of `--osc-feedback`: `HOST:PORT` or `off`.
struct FeedbackOption {
  /// nil for `off`.
  let peer: OSCPeer?

  /// - Throws: `InvalidValue` for anything but a numeric address with a port.
  @Sendable
  init(_ text: String) throws(InvalidValue) {
    guard text != "off" else {
      peer = nil
      return
    }
    guard let peer = OSCPeer(url: "osc.udp://\(text)") else {
      throw InvalidValue(
        "osc-feedback", quoted(text),
        allowed: "a numeric address and a port, such as 192.168.1.7:9000, or off")
    }
    self.peer = peer
  }
}
