import CJack

/// What `out` is connected to, for those who change it from afar. Without a server there is nothing to connect.
///
/// - Thread: any but JACK's own.
extension JACKHost {
  /// All audio inputs of the server.
  public var audioInputs: [String] {
    active.withLock { $0?.handle.inputPorts(UInt(JackPortIsInput.rawValue)) ?? [] }
  }

  /// Connects `out` to an input; returns whether they are connected then.
  public func connectOut(to input: String) -> Bool {
    active.withLock { active in
      guard let handle = active?.handle, handle.hasInput(input) else { return false }
      return handle.connect("out", to: input)
    }
  }

  /// Connects `out` to the first two physical outputs.
  public func connectOutToPhysical() {
    active.withLock { active in
      guard let handle = active?.handle else { return }
      for output in handle.physicalOutputs { _ = handle.connect("out", to: output) }
    }
  }

  /// Takes all connections of `out` away.
  public func disconnectOut() {
    active.withLock { active in
      guard let handle = active?.handle, let port = handle.ports["out"] else { return }
      _ = jack_port_disconnect(handle.client, port)
    }
  }
}
