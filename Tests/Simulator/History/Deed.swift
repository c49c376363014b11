/// An event that happens to the program. A fault includes its own end, so that each deed can be removed from a history.
enum Deed: Equatable {
  /// An app sends a message.
  case osc(String, [Argument])
  /// An app sends messages in one bundle, to take effect this many milliseconds later.
  case dated([Message], ahead: Int)
  /// Damaged OSC messages; the number is their seed.
  case garbage(UInt64)
  /// Many messages of one sender at once; the number is their seed.
  case flood(Int, UInt64)
  /// Another peer subscribes and sends nothing more.
  case strangerSubscribes(UInt16)

  /// Bytes at the port `control`.
  case control([UInt8])
  /// A machine's MIDI clock starts, with jitter in microseconds.
  case clockStarts(thousandths: Int, jitter: Int)
  /// The clock continues without pulses for some milliseconds.
  case clockDropsOut(milliseconds: Int)
  case clockStops

  case serverDies(milliseconds: Int, rate: Int, period: Int)
  case serverHangs(milliseconds: Int)
  case serverChangesPeriod(Int)
  case serverChangesRate(Int)
  case missesCycles(Int)
  /// A device is unplugged, or a client ends, and returns after some milliseconds.
  case unplugs(Device, milliseconds: Int)
  /// A user connects the device to one of the program's ports, or disconnects it; the number selects the port.
  case connects(Device, port: Int, Bool)
  case transportRolls(Bool)
  case transportLocates(UInt32)
  /// Another client needs this many cycles at each start or move of the transport.
  case othersAreSlow(cycles: Int)
  /// Deeds that come this many cycles after each other.
  case together([Deed], cycles: Int)
  /// Another client leads the transport for some time.
  case leaderComes(thousandths: Int, notes: Int, unit: Int, milliseconds: Int)

  /// The other leader treats its followers in this way for some time.
  case leaderTakes(OtherLeader.Habit, milliseconds: Int)

  case linkPeers(Int)
  /// The Link peers are away for some milliseconds, and return with their beats ahead by thousandths of a beat.
  case linkDropsOut(milliseconds: Int, ahead: Int)
  case linkTempo(thousandths: Int)
  case linkPlays(Bool)

  case diskIsFull(milliseconds: Int)
  case diskIsSlow(milliseconds: Int, delay: Int)
  /// The program crashes. The number is the percentage of a save under way that has reached the disk.
  case crash(cut: Int)
  case restart
  /// The program crashes, and the state file is cut off at a percentage of its length.
  case stateFileIsCut(percent: Int)
  /// The wall clock is set forward or back.
  case wallClockJumps(seconds: Int)
  /// A document is written, and an app opens it.
  case opens(Document)
  /// The same for a setlist whose songs follow each other without a pause.
  case opensMedley([Document])

  /// An argument of an app's message.
  enum Argument: Equatable {
    case int(Int32)
    case float(Float)
    case text(String)
  }

  struct Message: Equatable {
    let address: String
    let arguments: [Argument]
  }
}

extension Deed {
  /// Kinds of deeds, for counting.
  enum Kind: String {
    case messages
    case dated = "dated bundles"
    case documents
    case damaged = "damaged datagrams"
    case floods, strangers
    case control = "control bytes"
    case machineClocks = "MIDI clocks"
    case clockDropouts = "MIDI clock drop-outs"
    case deaths = "server deaths"
    case hangs, periods, rates
    case missedCycles = "missed cycles"
    case devices = "devices unplugged"
    case connections = "connections"
    case transport
    case together = "deeds together"
    case leaders = "other leaders"
    case lies = "lies and stalls of leaders"
    case link = "Link"
    case fullDisks = "full disks"
    case slowDisks = "slow disks"
    case crashes, restarts
    case cutFiles = "cut files"
    case clockJumps = "clock jumps"
  }

  var kind: Kind {
    switch self {
    case .osc: .messages
    case .dated: .dated
    case .opens, .opensMedley: .documents
    case .garbage: .damaged
    case .flood: .floods
    case .strangerSubscribes: .strangers
    case .control: .control
    case .clockStarts, .clockStops: .machineClocks
    case .clockDropsOut: .clockDropouts
    case .serverDies: .deaths
    case .serverHangs: .hangs
    case .serverChangesPeriod: .periods
    case .serverChangesRate: .rates
    case .missesCycles: .missedCycles
    case .unplugs: .devices
    case .connects: .connections
    case .transportRolls, .transportLocates, .othersAreSlow: .transport
    case .together: .together
    case .leaderComes: .leaders
    case .leaderTakes: .lies
    case .linkPeers, .linkDropsOut, .linkTempo, .linkPlays: .link
    case .diskIsFull: .fullDisks
    case .diskIsSlow: .slowDisks
    case .crash: .crashes
    case .restart: .restarts
    case .stateFileIsCut: .cutFiles
    case .wallClockJumps: .clockJumps
    }
  }
}

extension Deed {
  /// What is done to the music or the transport.
  enum TransportDeed { case start, move, other }

  /// What the deed does to the music or the transport; nil for a role or a tempo alone.
  var transportDeed: TransportDeed? {
    switch self {
    case .osc("/tactus/start", _), .transportRolls(true): return .start
    case .transportLocates: return .move
    case .osc("/tactus/role", _), .osc("/tactus/tempo", _): return nil
    case .together(let deeds, _):
      let all = deeds.compactMap(\.transportDeed)
      // A start that is moved at once is a start.
      return all.contains(.other) ? .other : all.contains(.start) ? .start : all.first
    default: return .other
    }
  }

  /// Whether another client starts the transport.
  var startsTransport: Bool {
    switch self {
    case .transportRolls(true): true
    case .together(let deeds, _): deeds.contains(where: \.startsTransport)
    default: false
    }
  }

  /// Whether a document's count-in goes on to its end.
  var keepsCountIn: Bool {
    switch self {
    case .osc(let address, _):
      ["/tactus/loop", "/tactus/loop/mark", "/tactus/hold", "/tactus/speed"].contains(address)
    default: false
    }
  }

  /// Whether a section that is held goes on, and the music does not move to another.
  var keepsHold: Bool {
    switch self {
    case .osc(let address, let arguments): address == "/tactus/hold" && arguments == [.int(1)]
    case .missesCycles: true
    default: false
    }
  }

  /// The role that it sets; nil if it sets none.
  var role: String? {
    switch self {
    case .osc("/tactus/role", let arguments): if case .text(let role)? = arguments.first { role } else { nil }
    case .together(let deeds, _): deeds.lazy.compactMap(\.role).last
    default: nil
    }
  }
}

/// A deed and its time, in nanoseconds since the history began.
struct Happening: Equatable {
  let time: UInt64
  let deed: Deed
}

extension Deed.Argument: CustomStringConvertible {
  var description: String {
    switch self {
    case .int(let number): "\(number)"
    case .float(let number): "\(number)"
    case .text(let text): "'\(text)'"
    }
  }
}

extension Deed: CustomStringConvertible {
  var description: String {
    switch self {
    case .osc(let address, let arguments):
      "the app sends " + ([address] + arguments.map(\.description)).joined(separator: " ")
    case .dated(let messages, let ahead):
      "the app sends for \(ahead) ms later: "
        + messages.map { ([$0.address] + $0.arguments.map(\.description)).joined(separator: " ") }
        .joined(separator: ", ")
    case .garbage(let seed): "a sender lies (damaged datagrams \(seed))"
    case .flood(let count, let seed): "a sender sends \(count) messages at once (\(seed))"
    case .strangerSubscribes(let port): "a peer at port \(port) subscribes and falls silent"
    case .control(let bytes):
      "MIDI at 'control': " + bytes.map { String($0, radix: 16) }.joined(separator: " ")
    case .clockStarts(let tempo, let jitter):
      "a MIDI clock starts at \(Double(tempo) / 1_000), jitter \(jitter) µs"
    case .clockDropsOut(let milliseconds): "the MIDI clock drops out for \(milliseconds) ms"
    case .clockStops: "the MIDI clock stops"
    case .serverDies(let milliseconds, let rate, let period):
      "the JACK server dies, and is back after \(milliseconds) ms at \(rate) Hz, \(period) frames"
    case .serverHangs(let milliseconds): "the JACK server hangs for \(milliseconds) ms"
    case .serverChangesPeriod(let frames): "the JACK server's period becomes \(frames) frames"
    case .serverChangesRate(let rate): "the JACK server's rate becomes \(rate) Hz"
    case .missesCycles(let count): "\(count) cycles are missed"
    case .unplugs(let device, let milliseconds):
      "the \(device.rawValue) is unplugged for \(milliseconds) ms"
    case .connects(let device, let port, let connects):
      "the user \(connects ? "connects" : "disconnects") \(device.programPorts[port % device.programPorts.count]) "
        + "and the \(device.rawValue)"
    case .transportRolls(let rolls): "another client \(rolls ? "rolls" : "stops") the transport"
    case .transportLocates(let frame): "another client locates the transport to \(frame)"
    case .othersAreSlow(let cycles): "another client needs \(cycles) cycles to start"
    case .together(let deeds, let cycles):
      deeds.map(\.description).joined(separator: cycles == 0 ? ", and at once " : ", \(cycles) cycles later ")
    case .leaderTakes(let habit, let milliseconds):
      "the other leader \(habit.rawValue) for \(milliseconds) ms"
    case .leaderComes(let tempo, let notes, let unit, let milliseconds):
      "another client leads for \(milliseconds) ms, in \(notes)/\(unit) at \(Double(tempo) / 1_000)"
    case .linkPeers(let count): "\(count) others are in the Link session"
    case .linkDropsOut(let milliseconds, let ahead):
      "the others drop out of the Link session for \(milliseconds) ms, and come back \(Double(ahead) / 1_000) beats ahead"
    case .linkTempo(let tempo): "the Link session's tempo becomes \(Double(tempo) / 1_000)"
    case .linkPlays(let plays): "the Link session \(plays ? "starts" : "stops")"
    case .diskIsFull(let milliseconds): "the disk is full for \(milliseconds) ms"
    case .diskIsSlow(let milliseconds, let delay):
      "the disk takes \(delay) ms for each job for \(milliseconds) ms"
    case .crash(let cut):
      "the program is killed, \(cut) % through a save if one is under way, and starts again"
    case .restart: "the program ends, and starts again"
    case .stateFileIsCut(let percent):
      "the program is killed, its state file cut off at \(percent) %, and it starts again"
    case .wallClockJumps(let seconds): "the wall clock jumps by \(seconds) s"
    case .opens(let document): "the app opens \(document)"
    case .opensMedley(let songs): "the app opens \(Document.medley(of: songs)): \(songs)"
    }
  }
}
