import CSndfile
import Files
import Glibc

/// libsndfile's virtual file interface for a file descriptor, which keeps the first error.
///
/// libsndfile ignores write errors while it closes a file or inside an encoder; this class reports them. And if
/// `sf_open_fd` fails, it closes the descriptor, even if it must not (1.2.0): a second close would close another file.
final class DescriptorStream {
  /// The error number of the first call that failed, or 0.
  private(set) var failure: Int32 = 0

  private let descriptor: Int32

  /// - Parameter descriptor: stays open; the caller closes it.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Opens the descriptor at its start. The stream must outlive the `SNDFILE`.
  ///
  /// - Parameter mode: `SFM_READ` or `SFM_WRITE`.
  /// - Returns: nil if libsndfile refuses; `sf_strerror(nil)` gives the reason.
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

  /// Writes all bytes, or as many as possible.
  ///
  /// Most of a click track is silence. For pages of zeros at the end of the file, the file is only extended, which has the same
  /// result.
  private func write(_ bytes: UnsafeRawPointer?, _ count: sf_count_t) -> sf_count_t {
    guard let bytes, count > 0 else { return 0 }
    let (start, length) = (Int(seek(0, SEEK_CUR)), Int(length()))
    guard failure == 0 else { return 0 }
    let end = start + Int(count)
    func isHole(_ page: Range<Int>) -> Bool {
      page.lowerBound >= length && isZero(bytes + (page.lowerBound - start), page.count)
    }
    func page(at position: Int) -> Range<Int> {
      position..<min(end, position - position % DescriptorStream.page + DescriptorStream.page)
    }
    var position = start
    while position < end {
      var next = page(at: position)
      let leavesOut = isHole(next)
      repeat { next = page(at: next.upperBound) } while !next.isEmpty && isHole(next) == leavesOut
      let stretch = position..<next.lowerBound
      guard
        leavesOut && extend(to: stretch.upperBound) || write(bytes + (position - start), stretch.count)
      else { break }
      position = stretch.upperBound
    }
    return sf_count_t(position - start)
  }

  /// Bytes in a page of the file system.
  private static let page = 4_096

  private func isZero(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
    typealias Part = SIMD8<UInt64>
    var offset = 0
    while offset + MemoryLayout<Part>.size <= count {
      if bytes.loadUnaligned(fromByteOffset: offset, as: Part.self) != Part() { return false }
      offset += MemoryLayout<Part>.size
    }
    return (offset..<count).allSatisfy { bytes.load(fromByteOffset: $0, as: UInt8.self) == 0 }
  }

  /// Extends the file and continues at its new end; returns false if it is not a regular file.
  private func extend(to length: Int) -> Bool {
    ftruncate(descriptor, off_t(length)) == 0 && seek(sf_count_t(length), SEEK_SET) == length
  }

  private func write(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
    let code = writeAll(UnsafeRawBufferPointer(start: bytes, count: count), to: descriptor)
    if failure == 0 { failure = code }
    return code == 0
  }

  private func checked(_ result: Int) -> Int {
    if result < 0 && failure == 0 {
      failure = errno
    }
    return result
  }
}
