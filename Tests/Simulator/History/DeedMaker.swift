import TestNumbers

/// Generates events: mostly what users do, and some faults.
struct DeedMaker {
  private var numbers: Generator
  let rate: Int
  let period: Int
  private var documents = 0
  /// The role that was requested last.
  private var role = "free"
  /// Deeds that are next in any case.
  private var planned: [Deed] = []

  private static let rates = [44_100, 48_000, 48_000, 44_100, 48_000, 96_000, 22_050, 192_000]
  private static let sessionPeriods = [1_024, 1_024, 2_048, 1_024, 8_192, 2_048, 4_096, 1_024]
  private static let periods = [8_192, 8_192, 8_192, 4_096, 8_192, 2_048, 8_192, 8_192]

  private let subject: Subject

  init(seed: UInt64, subject: Subject = .everything) {
    self.subject = subject
    numbers = Generator(seed: seed)
    rate = DeedMaker.rates[numbers.number(0...4)]
    // Missed cycles between the last click of a section and its end are found only if they are short.
    period = (subject == .sessions ? DeedMaker.sessionPeriods : DeedMaker.periods)[numbers.number(0...7)]
  }

  /// Nanoseconds until the next deed: bursts, and long quiet stretches.
  mutating func pause() -> UInt64 {
    guard planned.isEmpty else { return 1_000_000_000 }
    if subject != .everything, !numbers.oneIn(4) { return UInt64(numbers.number(100...9_000)) * 1_000_000 }
    return switch numbers.number(1...10) {
    case 1...3: UInt64(numbers.number(0...300)) * 1_000_000
    case 4...6: UInt64(numbers.number(300...4_000)) * 1_000_000
    case 7...9: UInt64(numbers.number(4...40)) * 1_000_000_000 + UInt64(numbers.number(0...999)) * 1_000_001
    default: UInt64(numbers.number(40...400)) * 1_000_000_000
    }
  }

  mutating func next() -> Deed {
    guard planned.isEmpty else { return planned.removeFirst() }
    switch subject {
    case .leaders: return deedOfLeaders()
    case .transport: return deedOfTransport()
    case .connections: return deedOfConnections()
    case .sessions: return deedOfSessions()
    case .everything: break
    }
    return switch numbers.number(1...100) {
    case 1...42: change()
    case 43...54: play()
    case 55...58: dated()
    case 59...66: changeRole()
    case 67...70: role == "link" ? link() : transport()
    case 71: devices()
    case 72...75: machine()
    case 76...80: session()
    case 81...83: senders()
    case 84...91: server()
    case 92: devices()
    default: program()
    }
  }

  /// Deeds of other leaders.
  private mutating func deedOfLeaders() -> Deed {
    switch numbers.number(1...100) {
    case _ where role == "free", 1...15:
      role = choose(["lead", "lead", "lead-if-free", "follow"])
      planned = [.transportRolls(true)]
      return .osc("/tactus/role", [.text(role)])
    case 16...40: return leader(longest: 30_000)
    case 41...70:
      let habits: [OtherLeader.Habit] = [.declaresAnother, .countsBars, .stalls, .isSilent]
      return .leaderTakes(choose(habits), milliseconds: numbers.number(500...30_000))
    case 71...76: return .transportLocates(UInt32(numbers.number(0...50_000_000)))
    case 77...78:
      planned = [.transportRolls(true)]
      return .transportRolls(false)
    case 79...86: return .osc("/tactus/tempo", [.float(Float(numbers.number(60_000...240_000)) / 1_000)])
    case 87...89: return .osc("/tactus/meter", [.int(Int32(numbers.number(2...7))), .int(4)])
    case 90...95: return .missesCycles(numbers.number(1...8))
    case 96: return .restart
    case 97:
      planned = [.transportRolls(true)]
      return .serverDies(
        milliseconds: choose([100, 700, 5_000]), rate: 48_000, period: choose([1_024, 8_192]))
    default: return .serverHangs(milliseconds: numbers.number(200...4_000))
    }
  }

  /// Deeds that concern the transport and its pre-roll.
  private mutating func deedOfTransport() -> Deed {
    let start = numbers.oneIn(2) ? Deed.transportRolls(true) : .osc("/tactus/start", [])
    let stop = numbers.oneIn(2) ? Deed.transportRolls(false) : .osc("/tactus/stop", [])
    let locate = Deed.transportLocates(UInt32(numbers.number(0...50_000_000)))
    let role = Deed.osc("/tactus/role", [.text(choose(["free", "lead", "lead", "lead", "follow"]))])
    let tempo = Deed.osc("/tactus/tempo", [.float(Float(numbers.number(60_000...300_000)) / 1_000)])
    switch numbers.number(1...100) {
    case 1...10: return .osc("/tactus/pre-roll", [.int(Int32(choose([0, 1, 1, 2])))])
    case 11...18: return role
    case 19...28: return start
    case 29...36:
      planned = numbers.oneIn(2) ? [locate, start] : [.together([role, start], cycles: 0)]
      return stop
    case 37...50: return locate
    case 51...58: return .together([role, start], cycles: numbers.number(0...1))
    case 59...68: return .together([locate, role], cycles: numbers.number(0...2))
    case 69...74: return .together([locate, tempo], cycles: numbers.number(0...2))
    case 75...78: return .together([start, locate], cycles: numbers.number(0...2))
    case 79...82: return .together([stop, role], cycles: numbers.number(0...2))
    case 83...86: return .othersAreSlow(cycles: choose([0, 0, 1, 3, 8]))
    case 87...90: return .missesCycles(numbers.number(1...8))
    case 91...93:
      planned = [start]
      return .serverDies(
        milliseconds: choose([100, 700, 5_000]), rate: choose([44_100, 48_000]),
        period: choose([1_024, 8_192]))
    case 94: return .serverHangs(milliseconds: numbers.number(200...4_000))
    case 95: return .restart
    default: return tempo
    }
  }

  /// Deeds that concern ports.
  private mutating func deedOfConnections() -> Deed {
    switch numbers.number(1...100) {
    case 1...60: devices()
    case 61...75: server()
    case 76...90: program()
    case 91...94: machine()
    default: play()
    }
  }

  /// Deeds that concern sessions.
  private mutating func deedOfSessions() -> Deed {
    switch numbers.number(1...100) {
    case _ where documents == 0, 1...8:
      planned = [.osc("/tactus/start", [])]
      return numbers.oneIn(3) ? .opensMedley((0..<3).map { _ in song() }) : .opens(song())
    case 9...20:
      planned = [.osc("/tactus/start", [])]
      if numbers.oneIn(2) { planned += [numbers.oneIn(2) ? loop() : .osc("/tactus/hold", [.int(1)])] }
      return .osc("/tactus/stop", [])
    case 21...40: return loop()
    case 41...48: return .osc("/tactus/loop/mark", [])
    case 49...60:
      let holds = numbers.oneIn(2)
      if holds { planned = (0..<numbers.number(0...6)).map { _ in .missesCycles(numbers.number(1...2)) } }
      return .osc("/tactus/hold", [.int(holds ? 1 : 0)])
    case 61...66: return .osc("/tactus/next", [])
    case 67...70: return .osc("/tactus/previous", [])
    case 71...76: return .osc("/tactus/goto", [.int(Int32(numbers.number(1...5)))])
    case 77...82:
      planned = [.osc("/tactus/resume", [])]
      return .osc("/tactus/pause", [])
    case 83...87: return .osc("/tactus/speed", [.int(Int32(numbers.number(50...150)))])
    case 88...91: return .osc("/tactus/stop/bar", [])
    case 92...94: return .missesCycles(numbers.number(1...4))
    case 95:
      planned = [.osc("/tactus/start", [])]
      return .serverHangs(milliseconds: numbers.number(200...4_000))
    case 96:
      planned = [.osc("/tactus/start", [])]
      return .restart
    case 97: return .osc("/tactus/song", [.int(Int32(numbers.number(1...3)))])
    default: return .osc("/tactus/start", [])
    }
  }

  /// A song with few bars.
  private mutating func song() -> Document {
    documents += 1
    let sections = (1...numbers.number(1...4)).map { _ in
      Document.Section(
        bars: choose([1, 1, 2, 3, 8]), thousandths: 2 * numbers.number(30_000...150_000),
        notes: numbers.number(2...5), unit: choose([4, 4, 8]), subdivision: numbers.number(2...4))
    }
    return Document(number: documents, sections: sections, isMap: false, countIn: choose([0, 1, 2, 2, 4]))
  }

  private mutating func choose<Value>(_ values: [Value]) -> Value {
    values[numbers.number(0...values.count - 1)]
  }

  private mutating func unit() -> Float { Float(numbers.number(0...1_000)) / 1_000 }

  private mutating func tempo() -> Int {
    numbers.oneIn(20) ? choose([1_000, 999_999, 20_000]) : numbers.number(30_000...320_000)
  }

  /// Takes another role, mostly with the events that make the program play in it.
  private mutating func changeRole() -> Deed {
    role =
      role != "free" && numbers.oneIn(2)
      ? "free" : choose(["free", "lead", "lead-if-free", "follow", "midi-clock", "link"])
    if !numbers.oneIn(4) {
      switch role {
      case "follow": planned = [leader(), .transportRolls(true)]
      case "midi-clock": planned = [clock()]
      case "link":
        planned = [.linkPeers(numbers.number(0...2)), .osc("/tactus/start", []), .linkPlays(true), link()]
      case "lead", "lead-if-free":
        planned = [.osc("/tactus/start", [])]
        if role == "lead-if-free" || numbers.oneIn(2) { planned.append(leader(longest: 20_000)) }
      default: planned = [.osc("/tactus/start", [])]
      }
    }
    return .osc("/tactus/role", [.text(role)])
  }

  /// - Parameter longest: the longest time for which it leads, in milliseconds.
  private mutating func leader(longest: Int = 200_000) -> Deed {
    .leaderComes(
      thousandths: numbers.number(60_000...200_000), notes: numbers.number(2...7), unit: choose([4, 8]),
      milliseconds: numbers.number(2_000...longest))
  }

  private mutating func clock() -> Deed {
    .clockStarts(thousandths: numbers.number(60_000...200_000), jitter: choose([0, 200, 1_000]))
  }

  // MARK: Users

  private mutating func change() -> Deed {
    switch numbers.number(1...24) {
    case 22...24: return layer()
    case 1...4: return .osc("/tactus/tempo", [.float(Float(tempo()) / 1_000)])
    case 5, 6:
      let (notes, note) = (numbers.number(1...9), choose([1, 2, 4, 4, 8, 16]))
      return .osc("/tactus/meter", [.int(Int32(notes)), .int(Int32(note))])
    case 7:
      let (count, unit) = choose([(0, 0), (1, 4), (3, 8), (1, 8)])
      return .osc("/tactus/beat-unit", [.int(Int32(count)), .int(Int32(unit))])
    case 8, 9:
      return .osc("/tactus/subdivision/\(numbers.number(2...9))", [.float(numbers.oneIn(2) ? 0 : unit())])
    case 10: return .osc("/tactus/swing", [.float(unit())])
    case 11:
      return .osc("/tactus/volume/\(choose(["accent", "beat", "subdivision", "cue"]))", [.float(unit())])
    case 12: return .osc("/tactus/volume", [.float(unit())])
    case 13: return .osc("/tactus/sound", [.text(choose(["sine", "square", "clave", "missing"]))])
    case 14: return .osc("/tactus/quantise", [.text(choose(["now", "beat", "bar"]))])
    case 15: return .osc("/tactus/accents", [.text(choose(["", "Xxxx", "X.ox", "Xoxoxo", "x"]))])
    case 16:
      return .osc("/tactus/gap", [.int(Int32(numbers.number(0...3))), .int(Int32(numbers.number(0...3)))])
    case 17: return .osc("/tactus/mute", [.int(Int32(numbers.number(0...1)))])
    case 18: return .osc("/tactus/tempo/nudge", [.float(Float(numbers.number(-50...50)) / 10)])
    case 19, 20: return preset()
    default:
      return choose([
        .osc("/tactus/groups", [.text(choose(["", "2+2", "3+2+2", "1+1"]))]),
        .osc("/tactus/clock/stopped", [.int(Int32(numbers.number(0...1)))]),
        .osc("/tactus/clock/search", [.float(Float(choose([0, 100, 400, 2_000])))]),
        .osc("/tactus/profile", [.text(choose(["full", "runner", "watch"]))]),
        .osc("/tactus/notes/length", [.int(Int32(numbers.number(1...5_000)))]),
        .osc("/tactus/tap", []), .osc("/tactus/save", []), .osc("/tactus/reset", []),
        .osc("/tactus/{volume,swing}", [.float(unit())]),
        .osc("/tactus/midi/map", [.text("nanokontrol2")]),
        .osc(
          "/tactus/midi/learn",
          [.text(choose(["tempo", "volume", "toggle", "tap", "mute", "go", "loop", "hold"]))]),
      ])
    }
  }

  /// Sets, changes, turns down or turns off a layer.
  private mutating func layer() -> Deed {
    let number = numbers.number(LayerPattern.numbers)
    return switch numbers.number(1...10) {
    case 1...4: .osc("/tactus/layer/\(number)", [.text(newLayer(isOfDocument: false).text)])
    case 5: .osc("/tactus/polyrhythm", [.text("\(numbers.number(1...9)):\(numbers.number(1...9))")])
    case 6: .osc("/tactus/volume/layer-\(number)", [.float(numbers.oneIn(3) ? 0 : unit())])
    case 7: .osc("/tactus/layer/\(number)", [.text(choose(["5 over nothing", "every 1/0", "0 over bar"]))])
    default: .osc("/tactus/layer/\(number)", [.text("")])
    }
  }

  private mutating func newLayer(isOfDocument: Bool) -> LayerPattern {
    var layer = LayerPattern()
    if numbers.oneIn(3) {
      layer.isEvery = true
      let (count, unit) = choose([(1, 4), (1, 8), (3, 16), (1, 6), (3, 8), (1, 12), (1, 5)])
      layer.span = .note(count, unit)
    } else {
      layer.pulses = numbers.oneIn(8) ? numbers.number(1...32) : numbers.number(1...9)
      layer.span =
        switch numbers.number(1...5) {
        case 1: .beats(numbers.number(1...9))
        case 2: .note(1, choose([1, 2, 4]))
        default: .bars(numbers.oneIn(2) ? 1 : numbers.number(1...4))
        }
    }
    if numbers.oneIn(2) { layer.letters = choose(["X.x.x", "Xoo", "xX", "X.", "o", "Xxxxxxx."]) }
    if numbers.oneIn(2) { layer.reset = choose(LayerPattern.Reset.allCases) }
    if numbers.oneIn(6) { layer.note = choose([62, 63, 64]) }
    if numbers.oneIn(3) { layer.sound = choose(["sine", "square", "clave"]) }
    if isOfDocument, numbers.oneIn(2) { layer.volume = choose([20, 50, 75]) }
    return layer
  }

  private mutating func preset() -> Deed {
    let name = Deed.Argument.text(choose(["Groove", "Slow", "Odd"]))
    return switch numbers.number(1...7) {
    case 1...3: .osc("/tactus/preset/save", [name])
    case 4, 5: .osc("/tactus/preset", [name])
    case 6: .osc("/tactus/preset/next", [])
    default: .osc("/tactus/preset/remove", [name])
    }
  }

  private mutating func play() -> Deed {
    let deed = choose([
      Deed.osc("/tactus/start", []), .osc("/tactus/toggle", [.int(1)]), .osc("/tactus/stop", []),
      .osc("/tactus/go", []),
      .osc("/tactus/stop", []), .osc("/tactus/toggle", []), .osc("/tactus/pause", []),
      .osc("/tactus/stop/bar", []), .osc("/tactus/fade", [.float(Float(numbers.number(2...200)) / 10)]),
      .osc("/tactus/locate", [.int(Int32(numbers.number(1...200)))]),
      .osc("/tactus/pre-roll", [.int(Int32(choose([0, 0, 1, 2])))]),
      .osc("/tactus/pre-roll/seconds", [.float(choose([0, 0, 3.5]))]),
    ])
    // The pre-roll sounds before a start from standstill.
    if case .osc(let address, _) = deed, address.hasPrefix("/tactus/pre-roll"), numbers.oneIn(2) {
      planned = [.osc("/tactus/stop", []), start(), start()]
      return deed
    }
    // Nothing sounds while the music is stopped.
    if deed != .osc("/tactus/start", []), !numbers.oneIn(5) { planned = [start()] }
    return deed
  }

  /// A start at once, or with a date.
  private mutating func start() -> Deed {
    numbers.oneIn(2)
      ? .osc("/tactus/start", [])
      : .dated(
        [Deed.Message(address: "/tactus/start", arguments: [])],
        ahead: numbers.oneIn(2) ? numbers.number(200...900) : numbers.number(900...2_500))
  }

  private mutating func dated() -> Deed {
    let messages: [Deed.Message] = (1...numbers.number(1...3)).map { _ in
      switch numbers.number(1...5) {
      case 1: Deed.Message(address: "/tactus/start", arguments: [])
      case 2: Deed.Message(address: "/tactus/stop", arguments: [])
      case 3: Deed.Message(address: "/tactus/volume", arguments: [.float(unit())])
      default: Deed.Message(address: "/tactus/tempo", arguments: [.float(Float(tempo()) / 1_000)])
      }
    }
    return .dated(messages, ahead: choose([50, 200, 900, 5_000]) + numbers.number(0...99))
  }

  private mutating func session() -> Deed {
    switch numbers.number(1...11) {
    case 1...3:
      documents += 1
      let (isMap, hasLayers) = (numbers.oneIn(3), numbers.oneIn(2))
      let sections = (1...numbers.number(1...4)).map { _ in
        let count = hasLayers && !isMap ? numbers.number(0...2) : 0
        return Document.Section(
          bars: numbers.number(1...40), thousandths: 2 * numbers.number(20_000...150_000),
          notes: numbers.number(2...7),
          unit: choose([4, 4, 8]), subdivision: numbers.number(2...4),
          layers: (0..<count).map { _ in newLayer(isOfDocument: true) })
      }
      // Half of them are played, and some of these repeat bars.
      if numbers.oneIn(2) {
        planned = [.osc("/tactus/start", [])] + (numbers.oneIn(2) ? [loop()] : [])
      }
      return .opens(Document(number: documents, sections: sections, isMap: isMap))
    case 4, 5: return .osc("/tactus/session", [.text("")])
    case 6: return .osc("/tactus/next", [])
    case 7: return .osc("/tactus/hold", [.int(Int32(numbers.number(0...1)))])
    case 8: return .osc("/tactus/loop/mark", [])
    case 9, 10: return loop()
    default: return .osc("/tactus/speed", [.int(Int32(numbers.number(50...150)))])
    }
  }

  /// Repeats bars of the section that plays, or none.
  private mutating func loop() -> Deed {
    let first = numbers.number(1...8)
    let bars = numbers.oneIn(4) ? [0] : [first, first + numbers.number(0...3)]
    return .osc("/tactus/loop", bars.map { .int(Int32($0)) })
  }

  private mutating func machine() -> Deed {
    switch numbers.number(1...8) {
    case 1: .control([0xB0, UInt8(numbers.number(0...127)), UInt8(numbers.number(0...127))])
    case 2: .control([0x90, UInt8(numbers.number(0...127)), UInt8(numbers.number(0...127))])
    case 3: .control((0...numbers.number(0...40)).map { _ in UInt8(numbers.number(0...255)) })
    case 4, 5: clock()
    case 6: .clockDropsOut(milliseconds: numbers.number(50...4_000))
    default: .clockStops
    }
  }

  private mutating func devices() -> Deed {
    let device = choose(Device.allCases)
    return numbers.oneIn(3)
      ? .unplugs(device, milliseconds: choose([20, 250, 900, 5_000]) + numbers.number(0...999))
      : .connects(device, port: numbers.number(0...9), !numbers.oneIn(3))
  }

  // MARK: Faults

  private mutating func transport() -> Deed {
    switch numbers.number(1...8) {
    case 1...3: .transportRolls(numbers.oneIn(3) ? false : true)
    case 4: .transportLocates(UInt32(numbers.number(0...50_000_000)))
    case 5: leader()
    case 6: .linkPeers(numbers.number(0...2))
    case 7: .linkTempo(thousandths: numbers.number(60_000...200_000))
    default: .linkPlays(numbers.oneIn(3) ? false : true)
    }
  }

  /// Deeds of the other peers in a Link session.
  private mutating func link() -> Deed {
    switch numbers.number(1...7) {
    case 1: .linkPeers(numbers.number(0...2))
    case 2, 3: .linkTempo(thousandths: numbers.number(60_000...200_000))
    case 4, 5:
      .linkDropsOut(
        milliseconds: numbers.number(200...20_000),
        ahead: numbers.oneIn(3) ? numbers.number(-400...400) : numbers.number(-50_000...50_000))
    default: .linkPlays(numbers.oneIn(4) ? false : true)
    }
  }

  private mutating func senders() -> Deed {
    switch numbers.number(1...5) {
    case 1, 2: .garbage(numbers.next())
    case 3: .strangerSubscribes(UInt16(numbers.number(10_000...10_100)))
    default: .flood(choose([100, 1_000, 6_000]), numbers.next())
    }
  }

  private mutating func server() -> Deed {
    switch numbers.number(1...9) {
    case 1, 2:
      .serverDies(
        milliseconds: choose([100, 700, 5_000]) + numbers.number(0...500),
        rate: DeedMaker.rates[numbers.number(0...DeedMaker.rates.count - 1)],
        period: DeedMaker.periods[numbers.number(0...7)])
    case 3: .serverHangs(milliseconds: choose([200, 900, 4_000]) + numbers.number(0...500))
    case 4: shortPeriods()
    case 5: .serverChangesPeriod(choose(DeedMaker.periods))
    case 6: .serverChangesRate(choose(DeedMaker.rates))
    default: .missesCycles(numbers.number(1...8))
    }
  }

  /// Short periods for a while: long periods make simulated time run faster.
  private mutating func shortPeriods() -> Deed {
    let start = Deed.dated([Deed.Message(address: "/tactus/start", arguments: [])], ahead: 300)
    planned = [change(), .osc("/tactus/stop", []), start, change(), .serverChangesPeriod(8_192)]
    return .serverChangesPeriod(choose([32, 64, 256, 441, 1_024]))
  }

  private mutating func program() -> Deed {
    switch numbers.number(1...8) {
    case 1: .diskIsFull(milliseconds: numbers.number(500...20_000))
    case 2: .diskIsSlow(milliseconds: numbers.number(2_000...20_000), delay: numbers.number(50...3_000))
    case 3, 4: .crash(cut: numbers.number(0...100))
    case 5, 6: .restart
    case 7: .stateFileIsCut(percent: numbers.number(0...99))
    default: .wallClockJumps(seconds: choose([-86_400, -1, 1, 3_600, 31_536_000]) + numbers.number(-9...9))
    }
  }
}
