import Foundation

/// A temporary folder, which is removed with this object.
public final class Scratch: Sendable {
  public let path: String

  public init() {
    path = NSTemporaryDirectory() + "/tactus-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names of its entries, in order.
  public var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
