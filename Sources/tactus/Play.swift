import ArgumentParser
import Control
import Dispatch
import Engine
import Foundation
import JACKClient
import MusicTime
import OSCControl
import Sessions

/// `tactus play`.
struct Play: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play the click on a JACK server.",
    discussion: """
      Plays on the JACK server that is running; where there is none, on a private one, which it starts and ends.
      Settings are kept from one run to the next; options go before them.
      """)

  @Argument(help: "A session, a setlist or a klick tempo map to play, in place of the metronome.") var file:
    String?

  @OptionGroup(title: "Music") var music: MusicalOptions
  @OptionGroup(title: "Pace") var pace: PaceOptions
  @OptionGroup(title: "JACK") var jack: JACKOptions
  @OptionGroup(title: "OSC") var osc: OSCOptions

  @Flag(help: "Don't start yet.") var stopped = false
  @Flag(help: "Print one line for each beat, also on a terminal, which gets an instrument panel else.")
  var plain = false
  @Flag(help: "Print each event as a line of JSON on standard output.") var json = false
  @Flag(help: "Begin with the default settings rather than those of the last run.") var fresh = false

  func validate() throws {
    try music.validate(beside: file)
    guard !plain || !json else {
      throw ValidationError("--plain and --json exclude each other: leave one out")
    }
    if file != nil, jack.wantedRole?.role == .link {
      throw ValidationError(
        "a session has tempos of its own: leave it out with Ableton Link, or play it without")
    }
  }

  func run() throws {
    try Failure.reported { try PlaySession(self).run() }
  }
}

struct PaceOptions: ParsableArguments {
  @Option(help: "The tempos that controls may reach: full, runner (150 to 230) or watch (40 to 150).")
  var profile: TempoProfile?
  @Flag(help: "Have the tempo follow the speed that comes to /tactus/pace/speed.") var followPace = false
  @OptionGroup var runner: CadenceOptions
}

extension TempoProfile: ExpressibleByArgument {}

struct JACKOptions: ParsableArguments {
  @Option(help: "JACK client name.") var name = "tactus"
  @Option(help: "Name of the JACK server to play on. Default: $JACK_DEFAULT_SERVER, or 'default'.")
  var server: String?
  @Option(help: "JACK port to connect `out` to, in place of the physical outputs. Repeatable.")
  var connect: [String] = []
  @Flag(help: "Connect to nothing.") var noConnect = false
  @Option(
    help:
      "free: start and stop alone; follow: the JACK transport and its leader; lead: be the timebase leader, lead-if-free: unless another is; midi-clock: follow the clock at port clock-in; link: --link.",
    transform: { try RoleOption($0) })
  var role: RoleOption?
  @Flag(help: "Play with the Ableton Link session of the network.") var link = false
  @Option(help: "When changes take effect: now, beat or bar.", transform: { try QuantiseOption($0).quantise })
  var quantise: Quantise?

  /// `--link` is the role `link`.
  var wantedRole: RoleOption? { link ? RoleOption(.link) : role }

  func validate() throws {
    guard 1...32 ~= name.utf8.count, !name.contains(":"), !name.contains("/") else {
      throw ValidationError("name \(quoted(name)): must be 1 to 32 bytes without a colon or slash")
    }
    guard connect.isEmpty || !noConnect else {
      throw ValidationError("--connect and --no-connect exclude each other: leave one out")
    }
    guard !link || role == nil else {
      throw ValidationError("--link and --role exclude each other: leave one out")
    }
  }
}

/// A transport role as it is asked for.
struct RoleOption {
  let role: TransportRole
  let isConditional: Bool

  init(_ role: TransportRole) { (self.role, isConditional) = (role, false) }

  init(_ text: String) throws {
    isConditional = text == "lead-if-free"
    guard let role = isConditional ? .lead : TransportRole(rawValue: text) else {
      throw InvalidValue(
        "role", quoted(text), allowed: "free, follow, lead, lead-if-free, midi-clock or link")
    }
    self.role = role
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

struct OSCOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: "UDP port to listen on; 0 for any free one. Default: 9700.",
    transform: { text in
      guard let port = UInt16(text) else { throw InvalidValue("port", quoted(text), allowed: "0…65535") }
      return port
    })
  var oscPort: UInt16 = 9700
  @Option(help: "Address to listen on; others than 127.0.0.1 need --osc-allow for those who may speak.")
  var oscBind = "127.0.0.1"
  @Option(
    help: "Network that may speak besides this machine, as 192.168.1.0/24. Repeatable.",
    transform: { try OSCNetwork($0) })
  var oscAllow: [OSCNetwork] = []
  @Flag(help: "Obey klick's OSC messages too, on the same port.") var klickOsc = false

  func validate() throws {
    guard let address = IPAddress(oscBind) else {
      throw ValidationError(
        "--osc-bind \(quoted(oscBind)): must be a numeric address, as 127.0.0.1, or 0.0.0.0 for all")
    }
    guard oscAllow.isEmpty, !address.isLoopback else { return }
    throw ValidationError(
      "--osc-bind \(oscBind) alone lets nobody speak: say who may with --osc-allow, as --osc-allow 192.168.1.0/24"
    )
  }
}
