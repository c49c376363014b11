import MIDI
import Realtime
import Synchronization

/// The lines between the control side and one engine, which must not outlive them.
public struct Channels: ~Copyable, Sendable {
  /// control → audio: the newest programme.
  public let programmes = Mailbox<Programme>()
  /// control → audio: start, stop, locate.
  public let commands = Ring<Command>(capacity: 256)
  /// audio → control: what happened.
  public let events = Ring<Event>(capacity: 16_384)
  /// audio → control: what controllers sent, each at its clock frame.
  public let controls = Ring<MIDIEvent>(capacity: 1_024)
  /// audio → control: programmes that the engine has done with.
  public let spent = Ring<UnsafePointer<Programme>>(capacity: 64)
  /// The number of the last change that the engine has made.
  public let changes = Atomic<Int>(0)

  /// The oldest generation of clips that the engine may still read.
  public let oldestClips = Atomic<Int>(0)
  /// The newest position of the engine's clock: the first frame that is not rendered yet.
  public let clock = Atomic<Int64>(0)
  /// Frames until the last clip that sounds, and the last note, has ended.
  public let sounding = Atomic<Int>(0)
  /// control → audio: begin nothing more, whatever rolls; what sounds plays to its end.
  public let isEnding = Atomic<Bool>(false)
  /// The clock frame with which the period begins in which the engine will next have something to tell, if periods stay as long
  /// as they are and nobody asks for anything; `Int64.max` where none is in sight.
  public let nextEvent = Atomic<Int64>(.max)
  /// control → audio: tell the parts of beats too.
  public let tellsSubdivisions = Atomic<Bool>(true)
  /// How far the music is into its score, in frames, at `clock`; in a loop, in its present lap.
  public let scoreFrame = Atomic<Int64>(0)
  /// The transport's frame that follows the last period, where there is one to follow or lead.
  public let transportFrame = Atomic<Int64>(0)
  /// Whether MIDI has come in, at `control` or `clock-in`, and gone out, since somebody last looked and put it back.
  public let hasReceivedMIDI = Atomic<Bool>(false)
  public let hasSentMIDI = Atomic<Bool>(false)
  /// Whether a MIDI clock comes in whose music runs, as far as it has been heard.
  public let isClockRolling = Atomic<Bool>(false)
  /// Events lost because their ring was full.
  public let droppedEvents = Atomic<Int>(0)
  /// Messages of controllers lost because their ring was full.
  public let droppedControls = Atomic<Int>(0)
  /// Clips not begun because all voices sounded.
  public let droppedClips = Atomic<Int>(0)
  /// Commands lost because too many waited for a later frame.
  public let droppedCommands = Atomic<Int>(0)
  /// Times that the audio thread missed cycles while playing.
  public let gaps = Atomic<Int>(0)

  private init() {}

  public static func make() -> UnsafePointer<Channels> {
    let channels = UnsafeMutablePointer<Channels>.allocate(capacity: 1)
    channels.initialize(to: Channels())
    return UnsafePointer(channels)
  }

  /// Releases channels that no engine uses any more; programmes on their way are freed.
  public static func free(_ channels: UnsafePointer<Channels>) {
    if let programme = channels.pointee.programmes.take() { Programme.free(programme) }
    while let programme = channels.pointee.spent.pop() { Programme.free(programme) }
    let owned = UnsafeMutablePointer(mutating: channels)
    owned.deinitialize(count: 1)
    owned.deallocate()
  }
}
