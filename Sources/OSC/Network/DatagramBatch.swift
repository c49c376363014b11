import CLiblo
import Glibc

/// Buffers for the datagrams that one system call receives.
///
/// - Thread: osc.
final class DatagramBatch {
  /// How many datagrams one call receives at most.
  static let capacity = 32

  private let bytes: UnsafeMutableRawPointer
  private let names: UnsafeMutablePointer<sockaddr_storage>
  private let parts: UnsafeMutablePointer<iovec>
  private let headers: UnsafeMutablePointer<tactus_mmsghdr>

  init() {
    let count = DatagramBatch.capacity
    bytes = .allocate(byteCount: count * OSCDatagram.lengthLimit, alignment: 8)
    names = .allocate(capacity: count)
    names.initialize(repeating: sockaddr_storage(), count: count)
    parts = .allocate(capacity: count)
    headers = .allocate(capacity: count)
    for index in 0..<count {
      let place = bytes + index * OSCDatagram.lengthLimit
      (parts + index).initialize(to: iovec(iov_base: place, iov_len: OSCDatagram.lengthLimit))
      var header = tactus_mmsghdr()
      header.msg_hdr.msg_name = UnsafeMutableRawPointer(names + index)
      header.msg_hdr.msg_iov = parts + index
      header.msg_hdr.msg_iovlen = 1
      (headers + index).initialize(to: header)
    }
  }

  deinit {
    bytes.deallocate()
    names.deallocate()
    parts.deallocate()
    headers.deallocate()
  }

  /// Receives the datagrams that wait in a socket. Never blocks.
  /// - Returns: how many were received; 0 after an error.
  func receive(from descriptor: Int32) -> Int {
    while true {
      for index in 0..<DatagramBatch.capacity {
        headers[index].msg_hdr.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
      }
      let flags = Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)
      let count = tactus_recvmmsg(descriptor, headers, UInt32(DatagramBatch.capacity), flags, nil)
      if count >= 0 { return Int(count) }
      // Here the system reports an error of an earlier send. It does not concern the datagrams that wait.
      guard errno == EINTR || errno == ECONNREFUSED else { return 0 }
    }
  }

  /// A datagram of the last `receive`, valid until the next call.
  ///
  /// A datagram longer than `OSCDatagram.lengthLimit` is truncated; `length` is its full length in bytes.
  subscript(_ index: Int) -> (bytes: UnsafeRawBufferPointer, length: Int, peer: OSCPeer) {
    let length = Int(headers[index].msg_len)
    let bytes = UnsafeRawBufferPointer(
      start: bytes + index * OSCDatagram.lengthLimit, count: min(length, OSCDatagram.lengthLimit))
    let size = Int(headers[index].msg_hdr.msg_namelen)
    return (bytes, length, OSCPeer(socketAddress: names + index, size: size))
  }
}
