/// Loops over samples. Each sample goes through the same operations in a full vector and in the remainder, so that the
/// output does not depend on the boundaries of periods.

private typealias Vector = SIMD16<Float>

@_noLocks
private func load(_ pointer: UnsafePointer<Float>, _ index: Int) -> Vector {
  UnsafeRawPointer(pointer + index).loadUnaligned(as: Vector.self)
}

@_noLocks
private func store(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, _ index: Int) {
  UnsafeMutableRawPointer(pointer + index).storeBytes(of: vector, as: Vector.self)
}

/// destination += source · gain
/// - Thread: audio
@_noLocks
@inline(__always)
func add(
  _ source: UnsafePointer<Float>, times gain: Float, to destination: UnsafeMutablePointer<Float>, count: Int
) {
  var index = 0
  while index &+ Vector.scalarCount <= count {
    store(load(destination, index) + load(source, index) * gain, destination, index)
    index &+= Vector.scalarCount
  }
  while index < count {
    destination[index] += source[index] * gain
    index &+= 1
  }
}

/// bus = (bus + source · gain) · level; destination = (destination + bus) · master
/// - Thread: audio
@_noLocks
@inline(__always)
func add(
  _ source: UnsafePointer<Float>, times gain: Float, to bus: UnsafeMutablePointer<Float>, times level: Float,
  to destination: UnsafeMutablePointer<Float>, times master: Float, count: Int
) {
  var index = 0
  while index &+ Vector.scalarCount <= count {
    let scaled = (load(bus, index) + load(source, index) * gain) * level
    store(scaled, bus, index)
    store((load(destination, index) + scaled) * master, destination, index)
    index &+= Vector.scalarCount
  }
  while index < count {
    bus[index] = (bus[index] + source[index] * gain) * level
    destination[index] = (destination[index] + bus[index]) * master
    index &+= 1
  }
}

/// samples *= gain
/// - Thread: audio
@_noLocks
@inline(__always)
func scale(_ samples: UnsafeMutablePointer<Float>, by gain: Float, count: Int) {
  var index = 0
  while index &+ Vector.scalarCount <= count {
    store(load(samples, index) * gain, samples, index)
    index &+= Vector.scalarCount
  }
  while index < count {
    samples[index] *= gain
    index &+= 1
  }
}

/// samples *= gain; destination += samples
/// - Thread: audio
@_noLocks
@inline(__always)
func scale(
  _ samples: UnsafeMutablePointer<Float>, by gain: Float, addingTo destination: UnsafeMutablePointer<Float>,
  count: Int
) {
  var index = 0
  while index &+ Vector.scalarCount <= count {
    let scaled = load(samples, index) * gain
    store(scaled, samples, index)
    store(load(destination, index) + scaled, destination, index)
    index &+= Vector.scalarCount
  }
  while index < count {
    samples[index] *= gain
    destination[index] += samples[index]
    index &+= 1
  }
}

/// samples = 0
/// - Thread: audio
@_noLocks
func clear(_ samples: UnsafeMutablePointer<Float>, count: Int) {
  var index = 0
  while index < count {
    samples[index] = 0
    index &+= 1
  }
}
