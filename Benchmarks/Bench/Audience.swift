import Foundation
import TestBench

/// Subscribers to beats, each with a socket of its own.
final class Audience {
  private let sockets: [Int32]
  /// When each subscriber heard of each beat, in order.
  private var arrivals: [[Double]]

  init(port: UInt16, count: Int) throws {
    sockets = try (0..<count).map { _ in
      let socket = try OSCSocket(to: port)
      socket.send(OSCSocket.message("/tactus/subscribe"))
      // A descriptor that outlives the socket.
      return dup(socket.descriptor)
    }
    arrivals = Array(repeating: [], count: count)
    // The answers: all values.
    listen(for: 1)
    arrivals = Array(repeating: [], count: count)
  }

  deinit { for socket in sockets { close(socket) } }

  func listen(for seconds: Double) {
    let end = monotonicSeconds() + seconds
    var polled = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 9_000)
    let address = Array("/tactus/beat".utf8)
    while monotonicSeconds() < end {
      guard poll(&polled, nfds_t(polled.count), 50) > 0 else { continue }
      let now = monotonicSeconds()
      for index in polled.indices where polled[index].revents != 0 {
        while true {
          let length = recv(sockets[index], &buffer, buffer.count, Int32(MSG_DONTWAIT))
          guard length > 0 else { break }
          // The address in a bundle: behind `#bundle`, a time and a size.
          if length > 32, Array(buffer[20..<32]) == address { arrivals[index].append(now) }
        }
      }
    }
  }

  /// The fewest that anyone heard are those that all heard, but for what was lost.
  var events: Int { arrivals.map(\.count).min() ?? 0 }
  var lost: Int { (arrivals.map(\.count).max() ?? 0) - events }

  /// Seconds from the first to the last subscriber that heard of a beat; 99 of 100 took no longer.
  var spread: Double {
    (0..<events).map { event in
      let times = arrivals.map { $0[event] }
      return times.max()! - times.min()!
    }.quantile(0.99)
  }
}
