import ArgumentParser
import Control
import Dispatch
import Engine
import Files
import JACKClient
import MusicTime
import OSC
import Sessions
import Validation

/// `tactus play`.
struct Play: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play the click on a JACK server.",
    discussion: """
      Plays on the JACK server that is running. If there is none, it starts a private one and ends it on exit.
      Settings are saved from one run to the next; options replace them.
      """)

  @Argument(
    help:
      "A session, a setlist or a klick tempo map to play instead of the metronome: a file, or the name or title of a document in the session folder. A number is a tempo, and 7/8 a meter.",
    completion: Completions.documents)
  var file: String?

  @Option(
    help: "The preset to play, by its name or number; options replace its values.",
    completion: Completions.presets)
  var preset: String?
  @OptionGroup(title: "Music") var music: MusicalOptions
  @OptionGroup(title: "Pace") var pace: PaceOptions
  @OptionGroup(title: "Listening") var listening: ListeningOptions
  @OptionGroup(title: "JACK") var jack: JACKOptions
  @OptionGroup(title: "Synchronisation") var sync: SyncOptions
  @OptionGroup(title: "OSC") var osc: OSCOptions
  @OptionGroup(title: "Web") var web: WebOptions

  @Flag(help: "Wait for a start command instead of playing at once.") var stopped = false
  @Flag(help: "Continue where the last run left the session, instead of at its start.")
  var resume = false
  @Flag(
    help:
      "Roll the transport at once in role lead, and start a session that is open again, instead of waiting for a start."
  )
  var start = false
  @Flag(help: "Print one line for each beat instead of showing the panel.")
  var plain = false
  @Flag(help: "Print each event as a line of JSON on standard output.") var json = false
  @Flag(help: "Print no beats and show no panel, only what happens once: for a service.")
  var quiet = false
  @Flag(
    help:
      "Start with the default settings. The saved ones stay until you save or change a setting; they are then kept in a backup file."
  )
  var fresh = false

  mutating func validate() throws {
    do {
      try readFile()
    } catch let error as InvalidValue {
      throw ValidationError("\(error)")
    }
    guard !start || !stopped else {
      throw ValidationError("--start and --stopped contradict each other: leave one out")
    }
    guard file == nil || preset == nil else {
      throw ValidationError("a session sets its own tempo, meter, pattern and sound: leave --preset out")
    }
    guard file == nil || pace.speed == nil else {
      throw ValidationError("a session sets its own tempo: leave --speed out")
    }
    try music.validate(beside: file)
    let outputs = [("--plain", plain), ("--json", json), ("--quiet", quiet)].filter(\.1).map(\.0)
    guard outputs.count < 2 else {
      throw ValidationError("\(outputs[0]) and \(outputs[1]) exclude each other: leave one out")
    }
    if file != nil, sync.wantedRole?.role == .link {
      throw ValidationError(
        "a session has tempos of its own: play it without Ableton Link, or leave it out")
    }
  }

  func run() throws {
    try CommandError.reported {
      try DescriptorLimit.check()
      // Must come before the first thread starts.
      let signals = try EndSignals()
      if let manager = try ManagedRun.announce() { return try manager.play(self, signals) }
      try PlaySession(self, signals).run()
    }
  }

  /// `tactus 120` and `tactus 7/8` set the tempo and the meter. Other texts name a file or a document.
  private mutating func readFile() throws {
    guard let text = file, !text.isEmpty, !fileExists(text) || isFolder(text) else { return }
    // The value of a mistyped option is parsed as the file. The parser reports that error later.
    let isNumber = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    let isFraction = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "/") }
    if isNumber, music.tempo == nil {
      // `--port 9700`: the parser reports the unknown option.
      if (try? Tempo(text: text)) == nil, isBehindOption(text) { return }
      (music.tempo, file) = (try Tempo(text: text), nil)
    } else if withDecimalPoint(text) != nil, music.tempo == nil {
      _ = try Tempo(text: text)
    } else if isFraction, !isNumber, music.meter == nil {
      (music.meter, file) = (try Meter(text: text), nil)
    } else if !isNumber, !isFraction {
      file = try SessionReading.found(text)
    }
  }
}

/// Whether an argument follows an option.
private func isBehindOption(_ text: String) -> Bool {
  zip(CommandLine.arguments, CommandLine.arguments.dropFirst()).contains { $0.hasPrefix("--") && $1 == text }
}

struct PaceOptions: ParsableArguments {
  @Option(help: "The range of tempos: full, runner (150 to 230) or watch (40 to 150).")
  var profile: TempoProfile?
  @Flag(help: "Make the tempo follow the speed sent to /tactus/pace/speed.") var followPace = false
  @Option(
    parsing: .unconditional,
    help: "A speed to start with, such as 12km/h or 5:00min/km; the tempo follows it.",
    transform: { try Measure.speed($0) })
  var speed: Double?
  @OptionGroup var runner: CadenceOptions
}

extension TempoProfile: ExpressibleByArgument {}
extension PublishedBeat: ExpressibleByArgument {}

struct JACKOptions: ParsableArguments {
  static let defaultName = "tactus"
  @Option(help: "JACK client name. A session manager (NSM) overrides it.") var name = defaultName
  @Option(help: "Name of the JACK server to play on. Default: $JACK_DEFAULT_SERVER, or 'default'.")
  var server: String?
  @Option(
    defaultAsFlag: Waiting.forever,
    help:
      "Wait for the JACK server instead of starting a private one: for this many seconds, or forever. Tactus always waits for a named server."
  )
  var wait: Waiting?
  @Option(
    help: "JACK port to connect `out` to instead of the physical outputs. Repeatable.",
    completion: Completions.ports)
  var connect: [String] = []
  @Flag(help: "Make no connections in this run. Saved connections are kept for the next run.")
  var noConnect = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many layers have ports of their own, layer-1 to layer-8; `out` contains them, too.",
      valueName: "count"))
  var layerPorts = 0
  @Flag(
    help:
      "Add the ports pulse, run and reset, which clock modular synthesisers and DIN sync through an interface that passes direct current."
  )
  var pulsePorts = false
  @Flag(
    help:
      "Add the ports timecode (MIDI timecode) and ltc (linear timecode), for lights, video and recorders."
  )
  var timecodePorts = false
  func validate() throws {
    guard 1...32 ~= name.utf8.count, !name.contains(":"), !name.contains("/") else {
      throw ValidationError("name \(quoted(name)): must be 1 to 32 bytes without a colon or slash")
    }
    guard 0...8 ~= layerPorts else {
      throw ValidationError("layer-ports \(layerPorts): must be 0…8")
    }
    guard connect.isEmpty || !noConnect else {
      throw ValidationError("--connect and --no-connect exclude each other: leave one out")
    }
  }
}

struct SyncOptions: ParsableArguments {
  @Option(
    help:
      "free: Tactus starts and stops by itself; follow: follow the JACK transport and its timebase leader; lead: be the timebase leader; lead-if-free: lead unless another client does; midi-clock: follow the clock at port clock-in; link: same as --link.",
    completion: .list(RequestedRole.names), transform: { try RequestedRole(text: $0) })
  var role: RequestedRole?
  @Flag(help: "Join the Ableton Link session on the network.") var link = false
  @Option(
    help: "When changes take effect: now, beat or bar.",
    completion: Completions.quantise, transform: { try QuantiseOption($0).quantise })
  var quantise: Quantise?
  @Option(
    help: "What other JACK clients read as a beat in role lead: meter or quarters.",
    completion: .list(PublishedBeat.allCases.map(\.rawValue)))
  var publish: PublishedBeat?
  @Option(
    parsing: .unconditional, help: .of(Parameters.preRoll),
    transform: { try Int(text: $0, of: Parameters.preRoll.parameter) })
  var preRoll: Int?

  /// `--link` is the role `link`.
  var wantedRole: RequestedRole? { link ? RequestedRole(.link) : role }

  func validate() throws {
    guard !link || role == nil else {
      throw ValidationError("--link and --role exclude each other: leave one out")
    }
  }
}

/// How long to wait for a JACK server.
enum Waiting: ExpressibleByArgument, CustomStringConvertible {
  case forever
  /// 0 to 86 400 seconds.
  case seconds(Int)

  init?(argument: String) {
    if argument == "forever" {
      self = .forever
    } else if let seconds = Int(argument), 0...86_400 ~= seconds {
      self = .seconds(seconds)
    } else {
      return nil
    }
  }

  /// nil if there is no limit.
  var duration: Duration? {
    if case .seconds(let seconds) = self { .seconds(seconds) } else { nil }
  }

  var description: String {
    switch self {
    case .forever: "forever"
    case .seconds(let seconds): "\(seconds)"
    }
  }
}

struct QuantiseOption {
  let quantise: Quantise

  init(_ text: String) throws {
    guard let quantise = Quantise(rawValue: text) else {
      throw InvalidValue("quantise", quoted(text), allowed: "now, beat or bar")
    }
    self.quantise = quantise
  }
}

/// Reads the number of a UDP or TCP port.
/// - Parameter first: the lowest allowed number.
/// - Throws: `InvalidValue` for anything else.
@Sendable
func readPort(_ text: String, from first: UInt16 = 0) throws -> UInt16 {
  let range = first...UInt16.max
  guard let port = UInt16(text), range ~= port else {
    throw InvalidValue("port", quoted(text), allowed: range.shown)
  }
  return port
}

struct OSCOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: "UDP port to listen on; 0 for any free one. Default: 9700.",
    transform: { try readPort($0) })
  var oscPort: UInt16 = 9700
  @Option(help: "Address to listen on. A non-loopback address needs --osc-allow.")
  var oscBind = "127.0.0.1"
  @Option(
    help: "Network that may send, in addition to this machine, such as 192.168.1.0/24. Repeatable.",
    transform: { try OSCNetwork($0) })
  var oscAllow: [OSCNetwork] = []
  @Flag(
    help:
      "Do not announce OSC and the web page on the network (zeroconf). Otherwise they are announced if --osc-bind and --web-bind open them to it, and avahi-publish is installed."
  )
  var noZeroconf = false
  @Flag(help: "Also accept klick's OSC messages, on the same port.") var klickOsc = false
  @Option(
    help: ArgumentHelp(
      "Send all values, beats and changes to an address while Tactus runs, such as 192.168.1.7:9000; at most 8. Saved for later runs; off for none. Repeatable.",
      valueName: "host:port"), transform: { try FeedbackOption($0) })
  var oscFeedback: [FeedbackOption] = []

  /// The networks whose machines can send; none if only this machine can.
  var networks: [OSCNetwork] { (IPAddress(oscBind)?.isLoopback ?? true) ? [] : oscAllow }

  /// Replaces the saved addresses for feedback by the given ones, if there are any.
  /// - Throws: `InvalidValue` for too many addresses.
  func applyFeedback(to settings: inout Settings) throws(InvalidValue) {
    guard !oscFeedback.isEmpty else { return }
    settings.endFeedback()
    for case let peer? in oscFeedback.map(\.peer) { try settings.feed(.add(url: peer.url ?? "")) }
  }

  func validate() throws {
    guard let address = IPAddress(oscBind) else {
      throw ValidationError(
        "--osc-bind \(quoted(oscBind)): must be a numeric address, such as 127.0.0.1, or 0.0.0.0 for all")
    }
    for case let peer? in oscFeedback.map(\.peer) {
      guard let host = peer.address, !host.isLoopback else { continue }
      guard oscAllow.contains(where: { $0.contains(host) }), !address.isLoopback else {
        throw ValidationError(
          "--osc-feedback \(host) is on another machine: add --osc-bind 0.0.0.0 and a network with it, such as --osc-allow \(host)"
        )
      }
    }
    guard oscAllow.isEmpty, !address.isLoopback else { return }
    throw ValidationError(
      "--osc-bind \(oscBind) needs the networks that may send: add --osc-allow, such as --osc-allow 192.168.1.0/24"
    )
  }
}
