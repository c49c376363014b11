import Glibc

/// Writes all of the bytes to a descriptor, however many of them it takes at once; a signal that interrupts it is no error.
/// - Returns: 0, or the system's error number; some of the bytes may be written then.
/// - Thread: any but audio; it waits where a pipe's reader does.
public func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  var done = 0
  while done < bytes.count {
    let count = write(descriptor, bytes.baseAddress! + done, bytes.count - done)
    if count < 0, errno != EINTR { return errno }
    done += max(0, count)
  }
  return 0
}
