import CJack

/// The connections of `out`, for OSC clients. Without a server, all calls do nothing.
///
/// - Thread: any but JACK's own
extension JACKHost {
  /// All audio inputs of the server.
  package var audioInputs: [String] {
    active.withLock { $0?.handle.inputPorts(UInt(JackPortIsInput.rawValue)) ?? [] }
  }

  /// Connects `out` to an input.
  /// - Returns: whether they are connected afterwards.
  package func connectOut(to input: String) -> Bool {
    active.withLock { active in
      guard let handle = active?.handle, handle.canConnect("out", to: input) else { return false }
      return handle.connect("out", to: input)
    }
  }

  /// Connects `out` to the first two physical outputs.
  package func connectOutToPhysical() {
    active.withLock { active in
      guard let handle = active?.handle else { return }
      for output in handle.physicalOutputs { _ = handle.connect("out", to: output) }
    }
  }

  /// Removes all connections of `out`.
  package func disconnectOut() {
    active.withLock { active in
      guard let handle = active?.handle, let port = handle.ports["out"] else { return }
      _ = jack.disconnect(handle.client, port)
    }
  }
}
