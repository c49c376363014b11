import Foundation

/// A folder that goes with the test.
public final class Scratch: Sendable {
  public let path: String

  public init() {
    path = NSTemporaryDirectory() + "/tactus-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names of what is in it, in order.
  public var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
