import Foundation
import TestBench

/// Subscribers to beats, each with a socket of its own.
final class Audience {
  private let sockets: [Int32]
  /// The arrival times of beats in monotonic seconds, in order, for each subscriber.
  private var arrivals: [[Double]]

  init(port: UInt16, count: Int) throws {
    sockets = try (0..<count).map { _ in
      let socket = try OSCSocket(to: port)
      socket.send(OSCSocket.message("/tactus/subscribe"))
      // A duplicate stays open when the socket is closed.
      return dup(socket.descriptor)
    }
    arrivals = Array(repeating: [], count: count)
    // The subscription is answered with all values; drop them.
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
          // In a bundle the address follows `#bundle`, a time tag and a size.
          if length > 32, Array(buffer[20..<32]) == address { arrivals[index].append(now) }
        }
      }
    }
  }

  /// Beats that each subscriber received: the smallest count of all. `lost` is the difference from the largest.
  var events: Int { arrivals.map(\.count).min() ?? 0 }
  var lost: Int { (arrivals.map(\.count).max() ?? 0) - events }

  /// The 99th percentile of the seconds between a beat's arrival at the first and at the last subscriber.
  var spread: Double {
    (0..<events).map { event in
      let times = arrivals.map { $0[event] }
      return times.max()! - times.min()!
    }.quantile(0.99)
  }
}
