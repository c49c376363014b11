import CBench
import Foundation
import TestBench

/// The durations of process callbacks, which the probe counts in a shared file.
struct Histogram {
  /// The lower bound of each bucket in nanoseconds, and the number of callbacks in it.
  private(set) var buckets: [(floor: Double, count: UInt64)]

  init() { buckets = (0..<Int(BENCH_BUCKETS)).map { (Double(bench_bucket_floor($0)), 0) } }

  init(path: String) throws {
    self.init()
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    guard bytes.count == MemoryLayout<bench_histogram>.size else {
      throw BenchError("\(path) is no histogram")
    }
    bytes.withUnsafeBytes { bytes in
      for index in buckets.indices {
        buckets[index].count = bytes.load(fromByteOffset: index * 8, as: UInt64.self)
      }
    }
  }

  /// The callbacks between two readings.
  init(from before: Histogram, to after: Histogram) {
    self = after
    for index in buckets.indices { buckets[index].count -= before.buckets[index].count }
  }

  mutating func add(_ other: Histogram) {
    for index in buckets.indices { buckets[index].count += other.buckets[index].count }
  }

  var count: UInt64 { buckets.reduce(0) { $0 + $1.count } }

  /// The duration in microseconds below which a share (0…1) of all callbacks lies.
  func quantile(_ part: Double) -> Double {
    let wanted = UInt64((part * Double(count)).rounded(.up))
    var sum: UInt64 = 0
    for bucket in buckets {
      sum += bucket.count
      if sum >= wanted && sum > 0 { return bucket.floor / 1_000 }
    }
    return 0
  }

  /// The mean duration in microseconds.
  var mean: Double {
    buckets.reduce(0) { $0 + $1.floor * Double($1.count) } / Double(max(count, 1)) / 1_000
  }

  var largest: Double { (buckets.last { $0.count > 0 }?.floor ?? 0) / 1_000 }

  /// For each duration in microseconds, the share of callbacks that took longer.
  var tail: [[Double]] {
    var left = count
    return buckets.compactMap { bucket in
      guard bucket.count > 0 else { return nil }
      defer { left -= bucket.count }
      return [bucket.floor / 1_000, Double(left) / Double(max(count, 1))]
    }
  }
}
