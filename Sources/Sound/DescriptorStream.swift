import CSndfile
import Glibc

/// A file descriptor as libsndfile's virtual file, which keeps the first error.
///
/// libsndfile passes over a write that fails while it closes a file or inside an encoder; here none is lost. And
/// `sf_open_fd` closes the descriptor where it fails, even if told not to (1.2.0): closed twice, some other file goes.
final class DescriptorStream {
  /// The error number of the first call that failed, or 0.
  private(set) var failure: Int32 = 0

  private let descriptor: Int32

  /// - Parameter descriptor: stays open, and the caller's.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Opens the descriptor, at its beginning. The stream must outlive the `SNDFILE`.
  ///
  /// - Parameter mode: `SFM_READ` or `SFM_WRITE`.
  /// - Returns: nil if libsndfile refuses; `sf_strerror(nil)` says why.
  func open(_ mode: Int, _ info: inout SF_INFO) -> OpaquePointer? {
    var calls = SF_VIRTUAL_IO(
      get_filelen: { DescriptorStream.from($0).length() },
      seek: { DescriptorStream.from($2).seek($0, $1) },
      read: { DescriptorStream.from($2).read($0, $1) },
      write: { DescriptorStream.from($2).write($0, $1) },
      tell: { DescriptorStream.from($0).seek(0, SEEK_CUR) })
    return sf_open_virtual(&calls, Int32(mode), &info, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> DescriptorStream {
    Unmanaged<DescriptorStream>.fromOpaque(pointer!).takeUnretainedValue()
  }

  private func length() -> sf_count_t {
    var status = stat()
    return sf_count_t(checked(fstat(descriptor, &status) == 0 ? status.st_size : -1))
  }

  private func seek(_ offset: sf_count_t, _ origin: Int32) -> sf_count_t {
    sf_count_t(checked(lseek(descriptor, off_t(offset), origin)))
  }

  private func read(_ bytes: UnsafeMutableRawPointer?, _ count: sf_count_t) -> sf_count_t {
    sf_count_t(max(0, checked(Glibc.read(descriptor, bytes, Int(count)))))
  }

  /// Writes all of the bytes, or as many as go.
  private func write(_ bytes: UnsafeRawPointer?, _ count: sf_count_t) -> sf_count_t {
    var done = 0
    while done < Int(count) {
      let written = Glibc.write(descriptor, bytes! + done, Int(count) - done)
      if written < 0 && errno == EINTR {
        continue
      }
      guard checked(written) > 0 else { break }
      done += written
    }
    return sf_count_t(done)
  }

  private func checked(_ result: Int) -> Int {
    if result < 0 && failure == 0 {
      failure = errno
    }
    return result
  }
}
