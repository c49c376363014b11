import CBench
import Foundation
import TestBench

/// How long process callbacks took, as the probe counts them in a file that it shares.
struct Histogram {
  /// Nanoseconds of each bucket's floor, and how many callbacks took that long.
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

  /// Adds what came between two readings.
  mutating func add(from before: Histogram, to after: Histogram) {
    for index in buckets.indices {
      buckets[index].count += after.buckets[index].count - before.buckets[index].count
    }
  }

  var count: UInt64 { buckets.reduce(0) { $0 + $1.count } }

  /// Microseconds below which a part of all callbacks took.
  func quantile(_ part: Double) -> Double {
    let wanted = UInt64((part * Double(count)).rounded(.up))
    var sum: UInt64 = 0
    for bucket in buckets {
      sum += bucket.count
      if sum >= wanted && sum > 0 { return bucket.floor / 1_000 }
    }
    return 0
  }

  /// In microseconds.
  var mean: Double {
    buckets.reduce(0) { $0 + $1.floor * Double($1.count) } / Double(max(count, 1)) / 1_000
  }

  var largest: Double { (buckets.last { $0.count > 0 }?.floor ?? 0) / 1_000 }

  /// The part of all callbacks that took longer, for each length in microseconds.
  var tail: [[Double]] {
    var left = count
    return buckets.compactMap { bucket in
      guard bucket.count > 0 else { return nil }
      defer { left -= bucket.count }
      return [bucket.floor / 1_000, Double(left) / Double(max(count, 1))]
    }
  }
}
