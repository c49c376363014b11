import CJack

/// Why there is no JACK client.
public enum JACKError: Error, CustomStringConvertible {
  case noServer(name: String?)
  /// There is one, but it hangs.
  case silent(name: String?)
  case refused(String)
  case noSuchPort(String)

  public var description: String {
    switch self {
    case .noServer(let name) where JACKHost.usesPipeWire:
      "no PipeWire \(name.map { "'\($0)' " } ?? "")is running: start it with systemctl --user start pipewire"
    case .noServer(let name):
      "no JACK server \(name.map { "'\($0)' " } ?? "")is running"
        + (name.map { ": start it with jackd -n \($0), or leave --server out" } ?? ": start jackd")
    case .silent(let name):
      "the JACK server \(name.map { "'\($0)' " } ?? "")doesn't answer: end it and start it again"
    case .refused(let reason): "the JACK server refused: \(reason)"
    case .noSuchPort(let name): "there is no JACK port '\(name)' that takes audio in: see jack_lsp"
    }
  }
}
