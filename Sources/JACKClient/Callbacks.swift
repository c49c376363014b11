import CJack
import Engine
import MIDI
import MusicTime
import Timecode

/// The audio thread's calls of C functions, which the compiler can't check. They are only in this file, in
/// `CallbacksLink.swift` and in `TempoWarp.swift`; all other code of this thread is `@_noLocks`.

/// - Thread: audio
let processCallback: JackProcessCallback = { frames, argument in
  let cancellation = tactus_hold_cancellation()
  tactus_realtime_enter()
  let context = argument!.assumingMemoryBound(to: ProcessContext.self)
  if let client = context.pointee.client, let outputs = outputs(context, frames) {
    let jack = context.pointee.jack
    context.pointee.begin(at: cycleTime(jack, client), frames: frames)
    readTransport(jack, client, into: &context.pointee.cycle.transport)
    context.pointee.completeTransport()
    read(jack, context.pointee.ports.control, frames, into: context.pointee.control)
    read(jack, context.pointee.ports.clockIn, frames, into: context.pointee.clockIn)
    if let capture = context.pointee.capture { listen(capture, context, frames) }
    let isRecorded = context.pointee.recording != nil && record(context, frames)
    if let line = context.pointee.link {
      context.pointee.cycle.link = readLink(line, client, context, frames)
    }
    context.pointee.render(into: outputs)
    if isRecorded, let recording = context.pointee.recording {
      recording.pointee.finish(
        outputs.out, frames: Int(frames), clock: context.pointee.cycle.clock,
        sampleRate: context.pointee.cycle.sampleRate ?? 0)
    }
    write(jack, context.pointee.clockOut, to: context.pointee.ports.clock, frames)
    write(jack, context.pointee.notes, to: context.pointee.ports.notes, frames)
    if let timecode = context.pointee.ports.timecode {
      write(jack, context.pointee.timecode, to: timecode.midi, frames)
    }
    write(jack, context.pointee.feedback, to: context.pointee.ports.feedback, frames)
  }
  tactus_realtime_exit()
  tactus_release_cancellation(cancellation)
  return 0
}

/// Returns whether the transport may roll. While the transport starts, JACK asks this before each process callback; the
/// transport rolls in the cycle after the answer.
/// - Thread: audio
let syncCallback: JackSyncCallback = { state, position, argument in
  guard state == JackTransportStarting, let position, let argument else { return 1 }
  let cancellation = tactus_hold_cancellation()
  tactus_realtime_enter()
  let context = argument.assumingMemoryBound(to: ProcessContext.self)
  let jack = context.pointee.jack
  var mayRoll = true
  if let client = context.pointee.client {
    let frame = position.pointee.frame
    mayRoll = context.pointee.letsTransportRoll(from: frame, cycleTime(jack, client))
    if !mayRoll, context.pointee.mustLocate(to: frame) { _ = jack.pointee.locateTransport(client, frame) }
  }
  tactus_realtime_exit()
  tactus_release_cancellation(cancellation)
  return mayRoll ? 1 : 0
}

/// Publishes the timebase position. JACK calls it after the process callback, for the next cycle. PipeWire calls it for the
/// current cycle, publishes the result in the next one, and drops the fractions of ticks. Therefore PipeWire receives the
/// current cycle's position and an offset that marks it as late; the offset must be at least one frame.
/// - Thread: audio
let timebaseCallback: JackTimebaseCallback = { state, frames, position, _, argument in
  let cancellation = tactus_hold_cancellation()
  tactus_realtime_enter()
  let context = argument!.assumingMemoryBound(to: ProcessContext.self)
  let asked = position!.pointee.frame
  let isLate = state == JackTransportRolling && asked == context.pointee.rollingFrame
  let published = context.pointee.kernel.barBeatTick(
    at: isLate ? asked &+ frames : asked, back: isLate ? 1 : 0)
  var valid = JackPositionBBT.rawValue | JackTickDouble.rawValue
  if isLate {
    position!.pointee.bbt_offset = 1
    valid |= JackBBTFrameOffset.rawValue
  }
  position!.pointee.valid = jack_position_bits_t(valid)
  position!.pointee.bar = Int32(clamping: published.bar)
  position!.pointee.beat = Int32(published.beat)
  position!.pointee.tick = Int32(published.tick)
  position!.pointee.tick_double = published.exactTick
  position!.pointee.bar_start_tick = published.barStartTick
  position!.pointee.beats_per_bar = Float(published.beatsPerBar)
  position!.pointee.beat_type = Float(published.beatType)
  position!.pointee.ticks_per_beat = Double(BarBeatTick.ticksPerBeat)
  position!.pointee.beats_per_minute = published.beatsPerMinute
  tactus_realtime_exit()
  tactus_release_cancellation(cancellation)
}

private func buffer(
  _ jack: UnsafePointer<JACKLibrary>, _ port: OpaquePointer?, _ frames: UInt32
) -> UnsafeMutablePointer<Float>? {
  guard let port else { return nil }
  return jack.pointee.buffer(port, frames)?.assumingMemoryBound(to: Float.self)
}

/// The cycle's buffers; nil if the client has no ports.
/// - Thread: audio
@inline(__always)
private func outputs(_ context: UnsafeMutablePointer<ProcessContext>, _ frames: UInt32) -> Outputs? {
  let jack = context.pointee.jack
  guard let out = buffer(jack, context.pointee.ports.out, frames),
    let accent = buffer(jack, context.pointee.ports.accent, frames),
    let beat = buffer(jack, context.pointee.ports.beat, frames),
    let subdivision = buffer(jack, context.pointee.ports.subdivision, frames),
    let cue = buffer(jack, context.pointee.ports.cue, frames)
  else { return nil }
  var layers = UnsafeBufferPointer<UnsafeMutablePointer<Float>>(start: nil, count: 0)
  if context.pointee.ports.layerCount > 0 { layers = layerBuffers(context, frames) }
  return Outputs(
    out: out, accent: accent, beat: beat, subdivision: subdivision, cue: cue, layers: layers,
    clock: context.pointee.clockOut, notes: context.pointee.notes,
    pulses: context.pointee.ports.pulses.flatMap { pulseBuffers(jack, $0, frames) },
    timecode: context.pointee.ports.timecode.flatMap {
      timecodeBuffers(jack, $0, context.pointee.timecode, frames)
    })
}

/// The buffers of the layers' ports.
/// - Thread: audio
@inline(never)
private func layerBuffers(
  _ context: UnsafeMutablePointer<ProcessContext>, _ frames: UInt32
) -> UnsafeBufferPointer<UnsafeMutablePointer<Float>> {
  let (jack, buffers) = (context.pointee.jack, context.pointee.layers)
  var count = 0
  while count < context.pointee.ports.layerCount,
    let buffer = buffer(jack, context.pointee.ports.layers[count], frames)
  {
    buffers[count] = buffer
    count += 1
  }
  return UnsafeBufferPointer(start: buffers.baseAddress, count: count)
}

/// - Thread: audio
@inline(never)
private func pulseBuffers(
  _ jack: UnsafePointer<JACKLibrary>, _ ports: ProcessContext.PulsePorts, _ frames: UInt32
) -> Outputs.Pulses? {
  guard let pulse = buffer(jack, ports.pulse, frames), let run = buffer(jack, ports.run, frames),
    let reset = buffer(jack, ports.reset, frames)
  else { return nil }
  return Outputs.Pulses(pulse: pulse, run: run, reset: reset)
}

/// - Thread: audio
@inline(never)
private func timecodeBuffers(
  _ jack: UnsafePointer<JACKLibrary>, _ ports: ProcessContext.TimecodePorts, _ messages: MTCBuffer,
  _ frames: UInt32
) -> Outputs.Timecode? {
  guard let audio = buffer(jack, ports.audio, frames) else { return nil }
  return Outputs.Timecode(messages: messages, linear: audio)
}

/// Passes the player's audio and notes to the capture. Reads the inputs before the outputs are written, because an output that
/// is connected to an input may share its buffer.
/// - Thread: audio
@inline(never)
private func listen(
  _ capture: UnsafePointer<Capture>, _ context: UnsafeMutablePointer<ProcessContext>,
  _ frames: UInt32
) {
  let (jack, clock) = (context.pointee.jack, context.pointee.cycle.clock)
  for input in 0..<capture.pointee.inputs {
    context.pointee.listened[input] = UnsafePointer(buffer(jack, context.pointee.ports.listen[input], frames))
  }
  let rate = context.pointee.shared.pointee.sampleRate.load(ordering: .relaxed)
  if capture.pointee.inputs > 0 {
    capture.pointee.receive(context.pointee.listened, frames: Int(frames), clock: clock, sampleRate: rate)
  }
  read(jack, context.pointee.ports.hits, frames, into: context.pointee.hits)
  capture.pointee.receive(context.pointee.hits, from: clock)
}

/// Begins to record a period with the buffers that `listen` has read.
/// - Returns: whether `finish` must be called for this period.
/// - Thread: audio
@inline(never)
private func record(_ context: UnsafeMutablePointer<ProcessContext>, _ frames: UInt32) -> Bool {
  guard let capture = context.pointee.capture, let recording = context.pointee.recording else { return false }
  return recording.pointee.begin(
    context.pointee.listened, count: capture.pointee.inputs, frames: Int(frames))
}

/// The frame time at the cycle's start, and the same instant in microseconds of JACK's clock.
/// - Thread: audio
@inline(__always)
private func cycleTime(
  _ jack: UnsafePointer<JACKLibrary>, _ client: OpaquePointer
) -> (frame: UInt32, microseconds: UInt64) {
  var (frame, start, next, period): (jack_nframes_t, jack_time_t, jack_time_t, Float) = (0, 0, 0, 0)
  _ = jack.pointee.cycleTimes(client, &frame, &start, &next, &period)
  return (frame, start)
}

/// Reads a port's messages of one to three bytes. Messages that don't fit the buffer are dropped.
/// - Thread: audio
@inline(__always)
private func read(
  _ jack: UnsafePointer<JACKLibrary>, _ port: OpaquePointer?, _ frames: UInt32, into messages: MIDIBuffer
) {
  messages.clear()
  guard let port, let buffer = jack.pointee.buffer(port, frames) else { return }
  let count = jack.pointee.midiCount(buffer)
  if count > 0 { read(jack, buffer, count, into: messages) }
}

// Not inline, so that periods without messages (almost all) do not load its code.
@inline(never)
private func read(
  _ jack: UnsafePointer<JACKLibrary>, _ buffer: UnsafeMutableRawPointer, _ count: UInt32,
  into messages: MIDIBuffer
) {
  var event = jack_midi_event_t()
  for index in 0..<count {
    guard jack.pointee.midiEvent(&event, buffer, index) == 0, let bytes = event.buffer,
      let message = MIDIMessage(bytes, count: event.size)
    else { continue }
    _ = messages.append(message, at: Int(event.time))
  }
}

/// - Thread: audio
@inline(__always)
private func write(
  _ jack: UnsafePointer<JACKLibrary>, _ messages: MIDIBuffer, to port: OpaquePointer?, _ frames: UInt32
) {
  guard let port, let buffer = jack.pointee.buffer(port, frames) else { return }
  jack.pointee.clearMIDI(buffer)
  if messages.count > 0 { write(jack, messages, to: buffer) }
}

@inline(never)
private func write(
  _ jack: UnsafePointer<JACKLibrary>, _ messages: MIDIBuffer, to buffer: UnsafeMutableRawPointer
) {
  for index in 0..<messages.count {
    let entry = messages[index]
    let bytes = entry.message.bytes
    guard let data = jack.pointee.reserveMIDI(buffer, UInt32(entry.offset), bytes.length) else { return }
    data[0] = bytes.status
    if bytes.length > 1 { data[1] = bytes.first }
    if bytes.length > 2 { data[2] = bytes.second }
  }
}

/// - Thread: audio
@inline(never)
private func write(
  _ jack: UnsafePointer<JACKLibrary>, _ messages: MTCBuffer, to port: OpaquePointer, _ frames: UInt32
) {
  guard let buffer = jack.pointee.buffer(port, frames) else { return }
  jack.pointee.clearMIDI(buffer)
  for index in 0..<messages.count {
    let entry = messages[index]
    let length = entry.message.length
    guard let data = jack.pointee.reserveMIDI(buffer, UInt32(entry.offset), length) else { return }
    for byte in 0..<length { data[byte] = entry.message.byte(byte) }
  }
}

/// - Thread: audio
@inline(__always)
private func readTransport(
  _ jack: UnsafePointer<JACKLibrary>, _ client: OpaquePointer, into transport: inout Cycle.Transport
) {
  var position = jack_position_t()
  let state = jack.pointee.queryTransport(client, &position)
  transport.isRolling = state == JackTransportRolling
  transport.isStarting = state == JackTransportStarting
  transport.frame = position.frame
  transport.leader = position.valid.rawValue & JackPositionBBT.rawValue != 0 ? leader(position) : nil
}

@inline(never)
private func leader(_ position: jack_position_t) -> Cycle.Leader {
  let isExact = position.valid.rawValue & JackTickDouble.rawValue != 0
  let hasOffset = position.valid.rawValue & JackBBTFrameOffset.rawValue != 0
  return Cycle.Leader(
    bar: Int(position.bar), beat: Int(position.beat),
    tick: isExact ? position.tick_double : Double(position.tick), isTickExact: isExact,
    ticksPerBeat: position.ticks_per_beat, offset: hasOffset ? Int(position.bbt_offset) : 0,
    beatsPerMinute: position.beats_per_minute, beatsPerBar: Double(position.beats_per_bar),
    beatType: Double(position.beat_type), barStartTick: position.bar_start_tick)
}
