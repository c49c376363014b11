import MusicTime

/// A sound in memory: immutable mono samples at the engine's sample rate.
///
/// The process callback reads the samples through a pointer while the conductor keeps the clip alive (see `ClipSet`), so
/// that the callback counts no references.
package final class Clip: @unchecked Sendable {
  // `@unchecked`: only `init` writes the buffer.
  /// Mono samples; 1 is full scale.
  package let samples: UnsafeBufferPointer<Float>

  /// Copies the samples. The clip's memory is freed with it.
  package init(_ samples: [Float]) {
    let buffer = UnsafeMutableBufferPointer<Float>.allocate(capacity: samples.count)
    _ = buffer.initialize(from: samples)
    self.samples = UnsafeBufferPointer(buffer)
  }

  deinit {
    samples.deallocate()
  }
}

/// A sound set at one sample rate: one clip for each role, and perhaps clips that count the beats.
package struct ClipSet: Sendable {
  package let roles: PerRole<Clip>
  /// Clips that sound instead of the roles'; nil for none.
  package let count: CountingClips?

  package init(_ roles: PerRole<Clip>, count: CountingClips? = nil) {
    (self.roles, self.count) = (roles, count)
  }

  package init(accent: Clip, beat: Clip, subdivision: Clip, cue: Clip) {
    self.init(PerRole(accent: accent, beat: beat, subdivision: subdivision, cue: cue))
  }

  /// The same clip for each role.
  package init(repeating clip: Clip) { self.init(PerRole(repeating: clip)) }

  package subscript(role: ClickRole) -> Clip { roles[role] }

  /// All clips; some may be the same.
  package var all: [Clip] { ClickRole.allCases.map { roles[$0] } + (count?.clips ?? []) }

  /// The samples. The caller keeps the set alive for as long as they are read.
  var sounding: SoundingClips { SoundingClips(self) }
}

/// Clips that count: one, two, three…
///
/// The process callback reads them through a table, as it does a clip's samples.
package final class CountingClips: @unchecked Sendable {
  // `@unchecked`: only `init` writes the table.
  /// The clip of each number, from one on.
  package let clips: [Clip]
  /// Whether the first beat of a bar says the bar's number rather than one.
  package let countsBars: Bool
  fileprivate let table: UnsafeBufferPointer<UnsafeBufferPointer<Float>>

  /// - Parameter clips: the clips of the numbers from one on; at least one clip.
  package init(_ clips: [Clip], countsBars: Bool) {
    precondition(!clips.isEmpty)
    let table = UnsafeMutableBufferPointer<UnsafeBufferPointer<Float>>.allocate(capacity: clips.count)
    _ = table.initialize(from: clips.map(\.samples))
    (self.clips, self.countsBars, self.table) = (clips, countsBars, UnsafeBufferPointer(table))
  }

  deinit { table.deallocate() }
}

/// The samples of a clip set, for the process callback.
struct SoundingClips: BitwiseCopyable {
  private let roles: PerRole<UnsafeBufferPointer<Float>>
  /// The clip of each number; empty if the set doesn't count.
  private let numbers: UnsafeBufferPointer<UnsafeBufferPointer<Float>>
  private let countsBars: Bool

  fileprivate init(_ set: ClipSet) {
    roles = set.roles.map(\.samples)
    numbers = set.count?.table ?? UnsafeBufferPointer(start: nil, count: 0)
    countsBars = set.count?.countsBars ?? false
  }

  /// The clip of a beat or a subdivision. A beat beyond the last number has its role's clip; a bar number beyond it starts
  /// again at one.
  /// - Parameters:
  ///   - beat: of the bar, from 0.
  ///   - bar: of the section, from 1.
  /// - Thread: audio
  @_noLocks
  func clip(_ role: ClickRole, beat: Int, bar: Int) -> UnsafeBufferPointer<Float> {
    guard numbers.count > 0, role != .subdivision, beat < numbers.count else { return roles[role] }
    guard countsBars, beat == 0, bar > 0 else { return numbers[beat] }
    return numbers[(bar - 1) % numbers.count]
  }
}
