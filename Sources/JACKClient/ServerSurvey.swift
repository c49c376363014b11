import CJack
import Glibc
import Realtime
import Synchronization

/// The properties of a JACK server, read by a temporary client.
package struct ServerSurvey: Equatable, Sendable {
  /// A Tactus that plays on the server.
  package struct Player: Equatable, Sendable {
    package var client: String
    /// Number of connections of its port `out`.
    package var outputs: Int

    package init(client: String, outputs: Int) { (self.client, self.outputs) = (client, outputs) }
  }

  package var name = "default"
  /// Frames per second.
  package var sampleRate = 48_000
  /// Frames per period.
  package var period = 256
  package var isRealtime = true
  package var isPipeWire = false
  /// Number of physical audio inputs, to which clicks can be sent.
  package var playbackPorts = 2
  /// Number of MIDI output ports of other clients.
  package var midiSources = 0
  /// Number of xruns while the server was watched.
  package var xruns = 0
  /// nil if no Tactus plays on the server.
  package var player: Player?
  /// Whether a Tactus has started the server for itself.
  package var isPrivate: Bool { PrivateServer.isPrivate(name) }

  package init() {}

  /// Reads a server's properties and watches it for xruns.
  /// - Parameters:
  ///   - server: the server's name; nil for the default one.
  ///   - client: the client name of the Tactus to look for.
  ///   - duration: how long to watch it.
  /// - Throws: `JACKError` if it doesn't run, or doesn't answer within `duration` and four seconds.
  /// - Thread: any but JACK's
  package static func take(
    ofServer server: String?, lookingFor client: String, watching duration: Duration
  ) throws(JACKError) -> ServerSurvey {
    JACKLibrary.silence()
    let asking = BoundedCall<ServerSurvey>()
    do throws(NamedThread.StartError) {
      try NamedThread("server-survey") {
        do throws(JACKError) {
          asking.give(.success(try ServerSurvey(server, client, duration)))
        } catch {
          asking.give(.failure(error))
        }
      }
    } catch {
      throw .noThread(error)
    }
    return try asking.wait(for: server, within: duration + .seconds(4))
  }

  /// Whether libjack's metadata database can be opened within the time. Each client opens it before it looks for a server, and
  /// waits forever if a program that has ended left it locked.
  /// - Thread: any but JACK's
  package static func opensDatabase(within patience: Duration = .seconds(2)) -> Bool {
    JACKLibrary.silence()
    guard !JACKHost.usesPipeWire else { return true }
    let opening = BoundedCall<Void>()
    let thread = try? NamedThread("database") {
      // No server has this name: the call returns as soon as the database is open.
      if let client = try? ClientHandle.openProbe("tactus-no-server-\(getpid())") {
        jack_client_close(client)
      }
      opening.give(.success(()))
    }
    return thread == nil || (try? opening.wait(for: nil, within: patience)) != nil
  }

  private init(_ server: String?, _ player: String, _ duration: Duration) throws(JACKError) {
    let client = try ClientHandle.openProbe(server)
    defer { jack_client_close(client) }
    name = server ?? JACKHost.defaultServerName
    sampleRate = Int(jack_get_sample_rate(client))
    period = Int(jack_get_buffer_size(client))
    isRealtime = jack_is_realtime(client) != 0
    isPipeWire = JACKHost.usesPipeWire
    let physical = UInt(JackPortIsInput.rawValue | JackPortIsPhysical.rawValue)
    playbackPorts = ServerSurvey.ports(client, JACK_DEFAULT_AUDIO_TYPE, physical).count
    let sources = ServerSurvey.ports(client, JACK_DEFAULT_MIDI_TYPE, UInt(JackPortIsOutput.rawValue))
    midiSources = sources.count { !$0.hasPrefix(player + ":") && !$0.hasPrefix("Midi-Bridge:Midi Through") }
    if let out = jack_port_by_name(client, player + ":out") {
      let peers = jack_port_get_all_connections(client, out)
      defer { jack_free(peers) }
      var count = 0
      while let peers, peers[count] != nil { count += 1 }
      self.player = Player(client: player, outputs: count)
    }
    xruns = ServerSurvey.watch(client, duration)
  }

  /// Counts the xruns during a time.
  private static func watch(_ client: OpaquePointer, _ duration: Duration) -> Int {
    // Freed after the client has been deactivated, when JACK makes no more calls.
    let count = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    count.initialize(to: 0)
    defer { count.deallocate() }
    jack_set_xrun_callback(
      client,
      { argument in
        // Only JACK's notification thread writes it.
        argument!.assumingMemoryBound(to: Int32.self).pointee += 1
        return 0
      }, count)
    guard jack_activate(client) == 0 else { return 0 }
    _ = MonotonicSemaphore().wait(for: duration)
    jack_deactivate(client)
    return Int(count.pointee)
  }

  private static func ports(_ client: OpaquePointer, _ type: String, _ flags: UInt) -> [String] {
    guard let list = jack_get_ports(client, nil, type, flags) else { return [] }
    defer { jack_free(list) }
    var (names, index): ([String], Int) = ([], 0)
    while let name = list[index] {
      names.append(String(cString: name))
      index += 1
    }
    return names
  }
}
