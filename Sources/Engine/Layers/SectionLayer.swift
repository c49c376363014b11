import MusicTime

/// A layer of a section, compiled: the place of each of its pulses, which are counted from 0 at the section's start.
///
/// Places are whole numbers of ticks, fine enough for this layer alone. A pulse's time is computed from its number, so that no
/// error adds up and no table has to hold the coincidences of several layers.
struct SectionLayer: BitwiseCopyable {
  /// A point of the bar at which the layer restarts.
  struct Restart: BitwiseCopyable {
    /// Ticks from the bar's start.
    let tick: Int
    /// The pulse that begins there, counted in the bar from 0.
    let pulse: Int
  }

  /// How one pulse sounds.
  struct Tone: BitwiseCopyable {
    let role: ClickRole
    let strength: Float
  }

  /// Everything that the places of its pulses depend on. It owns no memory, so it may be compared with the rhythm of a freed
  /// score.
  struct Rhythm: BitwiseCopyable {
    /// From 0.
    let index: Int
    let ticksPerWhole: Int
    /// Ticks from one pulse to the next.
    let interval: Int
    let ticksPerBar: Int
    /// 0 if the layer does not restart in each bar.
    let pulsesPerBar: Int
    let restarts: Int
    /// Whether the layer continues in the next section.
    let isEndless: Bool

    @_noLocks
    func equals(_ other: Rhythm) -> Bool {
      index == other.index && ticksPerWhole == other.ticksPerWhole && interval == other.interval
        && ticksPerBar == other.ticksPerBar && pulsesPerBar == other.pulsesPerBar
        && restarts == other.restarts && isEndless == other.isEndless
    }
  }

  let rhythm: Rhythm
  let ticksPerBeat: Int
  let restarts: UnsafeBufferPointer<Restart>
  let tones: UnsafeBufferPointer<Tone>
  let clips: SoundingClips
  /// The MIDI note of its pulses, 0…127.
  let note: UInt8

  /// - Parameter clips: the clips of the layer's sound.
  init(_ plan: LayerPlan, in bar: BarLayout, clips: SoundingClips) {
    let layer = plan.layer
    let (length, beat) = (bar.meter.barLength, bar.beatUnit.length)
    let step = layer.interval(in: bar.meter, beatUnit: bar.beatUnit)
    let whole = [length, beat].reduce(step.denominator) { leastCommonMultiple($0, $1.denominator) }
    func ticks(_ length: Rational) -> Int { whole / length.denominator * length.numerator }
    let interval = ticks(step)
    let restarts = SectionLayer.restarts(layer.reset, bar, interval, ticks(beat), end: ticks(length))
    rhythm = Rhythm(
      index: plan.number - 1, ticksPerWhole: whole, interval: interval, ticksPerBar: ticks(length),
      pulsesPerBar: restarts.last?.pulse ?? 0, restarts: max(0, restarts.count - 1),
      isEndless: layer.reset == .never)
    ticksPerBeat = ticks(beat)
    self.restarts = SectionLayer.copy(restarts.dropLast())
    tones = SectionLayer.copy(layer.accents.map { Tone(role: $0.role, strength: $0.strength) })
    self.clips = clips
    note = plan.note
  }

  /// The points of the bar at which the layer restarts, and the bar's end; empty if it does not restart in each bar.
  private static func restarts(
    _ reset: Layer.Reset, _ bar: BarLayout, _ interval: Int, _ beat: Int, end: Int
  ) -> [Restart] {
    let groups: [Int]
    switch reset {
    case .bar: groups = [bar.groups.reduce(0, +)]
    case .group: groups = bar.groups
    case .section, .never: return []
    }
    var restarts = [Restart(tick: 0, pulse: 0)]
    var beats = 0
    for group in groups {
      beats += group
      let (tick, last) = (min(beats * beat, end), restarts[restarts.count - 1])
      restarts.append(Restart(tick: tick, pulse: last.pulse + (tick - last.tick + interval - 1) / interval))
    }
    return restarts
  }

  private static func copy<Value>(_ values: some Collection<Value>) -> UnsafeBufferPointer<Value> {
    let copy = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
    _ = copy.initialize(from: values)
    return UnsafeBufferPointer(copy)
  }

  func deallocate() {
    restarts.deallocate()
    tones.deallocate()
  }

  /// Allocated memory in bytes.
  var bytes: Int {
    MemoryLayout<SectionLayer>.stride + restarts.count * MemoryLayout<Restart>.stride
      + tones.count * MemoryLayout<Tone>.stride
  }

  // MARK: Pulses

  /// The place of a pulse from the section's start, in 2⁻⁶⁴ ticks.
  /// - Parameter phase: pulses before the section's start, in 2⁻⁶⁴ pulses.
  /// - Thread: any, audio
  @_noLocks
  func place(of pulse: Int, phase: Int128) -> Int128 {
    guard rhythm.pulsesPerBar > 0 else { return (Int128(pulse) << 64 - phase) * Int128(rhythm.interval) }
    let (bar, inBar) = pulse.quotientAndRemainder(dividingBy: rhythm.pulsesPerBar)
    let restart = restart(before: inBar)
    let tick = restart.tick + (inBar - restart.pulse) * rhythm.interval
    return Int128(bar * rhythm.ticksPerBar + tick) << 64
  }

  /// The first pulse at or after a place.
  /// - Thread: any, audio
  @_noLocks
  func pulse(from place: Int128, phase: Int128) -> Int {
    guard rhythm.pulsesPerBar > 0 else {
      let pulses = (place + Int128(rhythm.interval) - 1) / Int128(rhythm.interval) + phase
      return Int((pulses + Int128(UInt64.max)) >> 64)
    }
    let ticks = Int((place + Int128(UInt64.max)) >> 64)
    let (bar, tick) = ticks.quotientAndRemainder(dividingBy: rhythm.ticksPerBar)
    var index = restarts.count - 1
    while index > 0, restarts[index].tick > tick { index -= 1 }
    let restart = restarts[index]
    let next = index + 1 < restarts.count ? restarts[index + 1].pulse : rhythm.pulsesPerBar
    let inBar = restart.pulse + (tick - restart.tick + rhythm.interval - 1) / rhythm.interval
    return bar * rhythm.pulsesPerBar + min(inBar, next)
  }

  /// The first pulse of a section.
  /// - Thread: any, audio
  @_noLocks
  func firstPulse(phase: Int128) -> Int { Int((phase + Int128(UInt64.max)) >> 64) }

  /// A pulse's number, from 0: since the last restart, or in the pattern if the layer does not restart in each bar.
  /// - Thread: any, audio
  @_noLocks
  func number(of pulse: Int) -> Int {
    guard rhythm.pulsesPerBar > 0 else { return pulse % tones.count }
    let inBar = pulse % rhythm.pulsesPerBar
    return inBar - restart(before: inBar).pulse
  }

  /// The bar of the section and the beat at a place, both from 1.
  /// - Thread: any, audio
  @_noLocks
  func beat(at place: Int128) -> (bar: Int, beat: Int) {
    let (bar, tick) = Int(place >> 64).quotientAndRemainder(dividingBy: rhythm.ticksPerBar)
    return (bar + 1, tick / ticksPerBeat + 1)
  }

  /// The last restart at or before a pulse of the bar.
  @_noLocks
  private func restart(before pulse: Int) -> Restart {
    var index = restarts.count - 1
    while index > 0, restarts[index].pulse > pulse { index -= 1 }
    return restarts[index]
  }
}
