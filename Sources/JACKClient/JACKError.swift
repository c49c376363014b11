import CJack
import Realtime

/// The reason why no JACK client could be opened.
package enum JACKError: Error, CustomStringConvertible {
  case noServer(name: String?)
  /// A server runs but does not answer.
  case silent(name: String?)
  case refused(String)
  case longName(_ length: Int, limit: Int)
  case noSuchPort(String)
  case noThread(NamedThread.StartError)

  package var description: String {
    switch self {
    case .noServer(let name) where JACKHost.usesPipeWire:
      "no PipeWire \(name.map { "'\($0)' " } ?? "")is running: start it with systemctl --user start pipewire"
    case .noServer(let name):
      "no JACK server \(name.map { "'\($0)' " } ?? "")is running"
        + (name.map { ": start it with jackd -n \($0) -d alsa, or leave --server out" } ?? ": start jackd")
    case .silent(let name):
      "the JACK server \(name.map { "'\($0)' " } ?? "")doesn't answer: end it and start it again"
    case .longName(let length, let limit):
      "the JACK server's name has \(length) bytes: must be at most \(limit)"
    case .refused(let reason): "the JACK server refused: \(reason)"
    case .noSuchPort(let name): "there is no JACK audio input port '\(name)': jack_lsp lists the ports"
    case .noThread(let refusal): "\(refusal)"
    }
  }
}
