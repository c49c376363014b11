import CJack
import Realtime
import Synchronization

/// A JACK client that is open and has neither ports nor callbacks yet.
///
/// The engine is made for the server's sample rate, which only a client can read. Opening a client is the slowest part of a
/// start, because libjack maps and locks a hundred megabytes. So the host uses this client instead of opening another one, and
/// a thread of its own opens it during the rest of the start (`ClientOpening`).
package final class OpenClient: Sendable {
  /// In frames per second.
  package let sampleRate: Int
  private let held: Mutex<Held>

  fileprivate struct Held: @unchecked Sendable {
    // `@unchecked`: used only under the mutex, until one thread takes it out.
    var handle: ClientHandle?
  }

  fileprivate init(_ handle: ClientHandle) {
    sampleRate = handle.sampleRate
    held = Mutex(Held(handle: handle))
  }

  /// Opens a client and waits for it.
  /// - Throws: `JACKError` if the server doesn't run, or doesn't answer within four seconds.
  package static func open(name: String, server: String?) throws(JACKError) -> OpenClient {
    try ClientOpening(name: name, server: server).wait()
  }

  /// Closes the client, unless a host has taken it.
  /// - Thread: any
  package func close() { take()?.close() }

  /// Removes and returns the client, which the caller then closes; nil after the first call.
  func take() -> ClientHandle? { held.withLock { $0.handle.take() } }
}

/// A client that a separate thread is opening.
package final class ClientOpening: Sendable {
  private let server: String?
  private let call = BoundedCall<OpenClient.Held>()

  /// Starts opening a client.
  package init(name: String, server: String?) {
    self.server = server
    JACKLibrary.silence()
    do throws(NamedThread.StartError) {
      try NamedThread("open-client") { [call] in
        do throws(JACKError) {
          call.give(.success(OpenClient.Held(handle: try ClientHandle(name: name, server: server))))
        } catch {
          call.give(.failure(error))
        }
      }
    } catch {
      call.give(.failure(.noThread(error)))
    }
  }

  /// Waits for the client. Call it once.
  /// - Throws: `JACKError` if the server doesn't run, or doesn't answer within four seconds.
  package func wait() throws(JACKError) -> OpenClient { OpenClient(try call.wait(for: server).handle!) }

  /// Closes the client without using it. Waits for at most half a second if the server hangs.
  package func abandon() { (try? call.wait(for: server, within: .milliseconds(500)))?.handle?.close() }
}
