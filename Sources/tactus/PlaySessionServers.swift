import Foundation
import JACKClient
import OSC
import OSCControl

/// The JACK server of a run, and its OSC server.
extension PlaySession {
  /// The JACK server's name and sample rate in hertz. If none runs and none was named, those of a private server.
  static func findServer(_ options: Play) throws -> (name: String, sampleRate: Int, own: PrivateServer?) {
    let environment = ProcessInfo.processInfo.environment
    let standard =
      JACKHost.usesPipeWire
      ? environment["PIPEWIRE_REMOTE"] ?? "PipeWire" : environment["JACK_DEFAULT_SERVER"] ?? "default"
    do {
      return (options.jack.server ?? standard, try JACKHost.sampleRate(ofServer: options.jack.server), nil)
    } catch JACKError.noServer where options.jack.server == nil && !JACKHost.usesPipeWire {
      let started = PrivateServer()
      do { try started.start() } catch { throw Failure("\(error)", code: .unavailable) }
      return (started.name, PrivateServer.sampleRate, started)
    } catch {
      throw Failure("\(error)", code: .unavailable)
    }
  }

  static func listening(_ options: Play) -> OSCServer.Configuration {
    var listening = OSCServer.Configuration()
    listening.address = options.osc.oscBind
    listening.port = options.osc.oscPort
    listening.networks = options.osc.oscAllow
    listening.path = socketPath(options.jack.name)
    return listening
  }

  /// The path of a UNIX socket beside the UDP port; nil if there is no folder for it.
  private static func socketPath(_ name: String) -> String? {
    guard let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else {
      return nil
    }
    let path = "\(folder)/\(name).osc"
    return path.utf8.count <= 107 && FileManager.default.isWritableFile(atPath: folder) ? path : nil
  }
}
