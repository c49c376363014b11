import Glibc

/// Writes all bytes to a descriptor. Continues after partial writes and interrupting signals.
/// - Returns: 0, or the system's error number; some bytes may have been written.
/// - Thread: any but audio. Blocks while a pipe is full.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  var done = 0
  while done < bytes.count {
    let count = write(descriptor, bytes.baseAddress! + done, bytes.count - done)
    if count < 0, errno != EINTR { return errno }
    done += max(0, count)
  }
  return 0
}
