import CJack
import Realtime
import Synchronization

/// A JACK client that is open, and has neither ports nor callbacks yet.
///
/// The engine is made for the server's sample rate, and only a client knows that. To open one is the slowest part of a start:
/// libjack maps and locks a hundred megabytes. So the host goes on with this client, and doesn't open another.
package final class OpenClient: Sendable {
  /// In frames per second.
  package let sampleRate: Int
  private let held: Mutex<Held>

  private struct Held: @unchecked Sendable {
    // `@unchecked`: used only under the mutex, until one thread takes it out.
    var handle: ClientHandle?
  }

  private init(_ handle: ClientHandle) {
    sampleRate = handle.sampleRate
    held = Mutex(Held(handle: handle))
  }

  /// Opens a client.
  /// - Throws: `JACKError` if the server doesn't run, or doesn't answer within four seconds.
  package convenience init(name: String, server: String?) throws(JACKError) {
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
    let opening = BoundedCall<Held>()
    do throws(NamedThread.Refusal) {
      try NamedThread("open-client") {
        do throws(JACKError) {
          opening.give(.success(Held(handle: try ClientHandle(name: name, server: server))))
        } catch {
          opening.give(.failure(error))
        }
      }
    } catch {
      throw .noThread(error)
    }
    self.init(try opening.wait(for: server).handle!)
  }

  /// Closes the client, unless a host has taken it.
  package func close() { take()?.close() }

  /// The client, for its new owner, who closes it; nil after the first call.
  func take() -> ClientHandle? { held.withLock { $0.handle.take() } }
}
