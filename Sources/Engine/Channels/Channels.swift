import MIDI
import MusicTime
import Realtime
import Synchronization

/// The lock-free connections between the control side and one engine. They must outlive the engine.
package struct Channels: ~Copyable, Sendable {
  /// control → audio: the newest update.
  package let scoreUpdates = Mailbox<ScoreUpdate>()
  /// control → audio: start, stop, locate.
  package let commands = Ring<Command>(capacity: 256)
  /// audio → control: what happened.
  package let events = Ring<Event>(capacity: 16_384)
  /// audio → control: messages of controllers, each with its clock frame. They bypass the kernel.
  package let controls = Ring<MIDIEvent>(capacity: 1_024)
  /// control → audio: messages to controllers. They bypass the kernel, too.
  package let feedback = Ring<MIDIMessage>(capacity: 1_024)
  /// audio → control: updates that the engine no longer uses.
  package let returnedUpdates = Ring<UnsafePointer<ScoreUpdate>>(capacity: 64)
  /// audio → control: the number of the last change that the engine has made.
  package let changes = Atomic<Int>(0)
  /// audio → control: the number of successors that have begun (`Event.Succession`).
  package let successions = Atomic<Int>(0)

  /// audio → control: the oldest generation of clips that the engine may still read.
  package let oldestClips = Atomic<Int>(0)
  /// audio → control: the first clock frame that is not rendered yet.
  package let clock = Atomic<ClockFrame>(0)
  /// audio → control: frames until the last sounding clip and the last note have ended.
  package let sounding = Atomic<Int>(0)
  /// control → audio: start no more clips, even if the music rolls. Sounding clips play to their end.
  package let isEnding = Atomic<Bool>(false)
  /// audio → control: the first clock frame of the period in which the engine next reports an event, if the period's length
  /// stays and no command or update comes; `never` if no event is due.
  package let nextEvent = Atomic<ClockFrame>(.never)
  /// control → audio: whether to report subdivisions too.
  package let reportsSubdivisions = Atomic<Bool>(true)
  /// control → audio: whether to report beats half a second ahead too.
  package let reportsAhead = Atomic<Bool>(false)
  /// audio → control: frames from the score's start to the music's position at `clock`; in a loop, within the current lap.
  package let scoreFrame = Atomic<Int64>(0)
  /// audio → control: the transport's frame that follows the last period, in the modes that use the transport.
  package let transportFrame = Atomic<Int64>(0)
  /// audio → control: whether MIDI was received (ports `control` and `clock-in`), and whether it was sent (ports `notes` and
  /// `clock`). The reader resets them.
  package let hasReceivedMIDI = Atomic<Bool>(false)
  package let hasSentMIDI = Atomic<Bool>(false)
  /// audio → control: whether the music of a received MIDI clock rolls.
  package let isMIDIClockRolling = Atomic<Bool>(false)
  /// Events dropped because their ring was full.
  package let droppedEvents = Atomic<Int>(0)
  /// Controllers' messages dropped because their ring was full.
  package let droppedControls = Atomic<Int>(0)
  /// Clips not started because all voices were in use.
  package let droppedClips = Atomic<Int>(0)
  /// Commands dropped because too many were waiting.
  package let droppedCommands = Atomic<Int>(0)
  /// Times that the audio thread missed cycles while playing.
  package let gaps = Atomic<Int>(0)

  private init() {}

  /// Passes on a period's messages of controllers; a full ring counts a drop.
  /// - Parameters:
  ///   - messages: the messages of the port `control`.
  ///   - clock: the clock frame of the period's first sample.
  /// - Thread: audio
  @_noLocks
  @inlinable
  @inline(__always)
  package func receive(_ messages: MIDIBuffer, from clock: ClockFrame) {
    if messages.count > 0 { pass(messages, from: clock) }
  }

  // Like `receiveFeedback` not inline, so that periods without messages (almost all) do not load its code.
  @_noLocks
  @inline(never)
  @usableFromInline
  func pass(_ messages: MIDIBuffer, from clock: ClockFrame) {
    for index in 0..<messages.count {
      let event = MIDIEvent(messages[index].message, at: clock + Int64(messages[index].offset))
      if !controls.push(event) { droppedControls.wrappingAdd(1, ordering: .relaxed) }
    }
    hasReceivedMIDI.store(true, ordering: .relaxed)
  }

  /// Takes the next messages to controllers.
  /// - Thread: audio
  @_noLocks
  @inlinable
  @inline(__always)
  package func takeFeedback(into messages: MIDIBuffer) {
    messages.clear()
    if !feedback.isEmpty { receiveFeedback(into: messages) }
  }

  @_noLocks
  @inline(never)
  @usableFromInline
  func receiveFeedback(into messages: MIDIBuffer) {
    // More messages in one period could overflow the buffers of slow devices.
    for _ in 0..<32 {
      guard let message = feedback.pop() else { return }
      _ = messages.append(message, at: 0)
    }
  }

  /// Whether the control side has sent nothing, and wants no reports ahead and no end of the clicks.
  /// - Parameter reportsSubdivisions: the known value of that flag, which must not have changed.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func areQuiet(_ reportsSubdivisions: Bool) -> Bool {
    commands.isEmpty && scoreUpdates.isEmpty && !isEnding.load(ordering: .relaxed)
      && !reportsAhead.load(ordering: .relaxed)
      && self.reportsSubdivisions.load(ordering: .relaxed) == reportsSubdivisions
  }

  /// Reports an event; a full ring counts a drop.
  /// - Thread: audio
  @_noLocks
  func report(_ event: Event) {
    if !events.push(event) { droppedEvents.wrappingAdd(1, ordering: .relaxed) }
  }

  /// - Returns: channels that are never freed: JACK may call the process callback until the process ends, even after a client
  ///   was closed without an answer. An engine that ends earlier uses `OwnedChannels`.
  /// - Thread: control
  package static func make() -> UnsafePointer<Channels> {
    let channels = UnsafeMutablePointer<Channels>.allocate(capacity: 1)
    channels.initialize(to: Channels())
    return UnsafePointer(channels)
  }
}

/// Channels with an owner, for an engine without a device.
package struct OwnedChannels: ~Copyable {
  /// Valid as long as this value.
  package let pointer: UnsafePointer<Channels>

  /// - Thread: control
  package init() { pointer = Channels.make() }

  /// Frees the channels, and the updates in them. No engine may use them any more.
  deinit {
    if let update = pointer.pointee.scoreUpdates.take() { ScoreUpdate.free(update) }
    while let update = pointer.pointee.returnedUpdates.pop() { ScoreUpdate.free(update) }
    let owned = UnsafeMutablePointer(mutating: pointer)
    owned.deinitialize(count: 1)
    owned.deallocate()
  }
}
