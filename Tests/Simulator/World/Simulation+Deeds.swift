import MIDI

/// Carries out the deeds of the history and their later consequences.
extension Simulation {
  func perform(_ deed: Deed) throws(Fault) {
    playsBy = nil
    witness.expectStart(at: nil)
    witness.expectPreRoll(deed, server)
    noteEndings(keepsCountIn: deed.keepsCountIn, keepsHold: deed.keepsHold)
    try carryOut(deed)
  }

  private func carryOut(_ deed: Deed) throws(Fault) {
    program?.bePrompt(until: now + 2_500_000_000)
    let settle = 200_000_000 + 3 * server.periodTime
    switch deed {
    case .osc(let address, let arguments):
      if Simulation.movesOnsets(address) {
        witness.unsettle(at: now, for: settle, moves: !Simulation.isTempo(address))
      }
      if ["/tactus/next", "/tactus/go", "/tactus/loop", "/tactus/stop/bar"].contains(address) {
        witness.unsettle(at: now, for: settle + witness.barTime, waits: true)
      }
      if address == "/tactus/fade", case .float(let seconds)? = arguments.first {
        witness.expectFade(until: now + UInt64(Double(seconds) * 1e9) + 30_000_000_000)
      }
      if flaw == .stopCutsClips, address == "/tactus/stop" { tape.isStruck = true }
      if flaw == .volumeJumps, address.hasPrefix("/tactus/volume") { tape.isStruck = true }
      if ["/tactus/pause", "/tactus/locate", "/tactus/stop/bar", "/tactus/fade"].contains(address) {
        isAtStart = false
      }
      if address == "/tactus/stop" { isAtStart = true }
      if address == "/tactus/role" { witness.endCount(at: now, delay: server.delay) }
      send([Deed.Message(address: address, arguments: arguments)])
    case .dated(let messages, let ahead):
      let nanoseconds = UInt64(ahead) * 1_000_000
      program?.bePrompt(until: now + nanoseconds + 2_500_000_000)
      let moves = messages.contains { !Simulation.isTempo($0.address) }
      witness.unsettle(at: now, for: nanoseconds + settle, moves: moves)
      if moves { witness.noteDatedChange(due: now + nanoseconds) }
      if messages.map(\.address) == ["/tactus/start"], nanoseconds > server.delay + 150_000_000,
        server.hasClient, isAtStart, now > startsUntil
      {
        witness.expectStart(at: now + nanoseconds)
      }
      for message in messages { witness.expectVolume(message, until: now + nanoseconds + settle) }
      if messages.contains(where: { $0.address == "/tactus/start" }) {
        startsUntil = max(startsUntil, now + nanoseconds)
      }
      send(messages, at: time.wallClock(of: now + nanoseconds))
    case .garbage(let seed):
      witness.unsettle(at: now, for: 1_000_000_000 + witness.barTime)
      deliver(Senders.garbage(seed, wallClock: time.wallClock(of: now)), from: 9_400)
    case .flood(let count, let seed):
      witness.unsettle(at: now, for: settle + witness.barTime, moves: false)
      deliver(Senders.flood(count, seed), from: 9_300)
    case .strangerSubscribes(let port): subscribe(port)
    case .control(let bytes):
      isAtStart = false
      witness.unsettle(at: now, for: settle + witness.barTime)
      for start in stride(from: 0, to: bytes.count, by: 3) where control.count < 64 {
        let part = Array(bytes[start..<min(start + 3, bytes.count)])
        if let message = part.withUnsafeBufferPointer({ MIDIMessage($0.baseAddress!, count: part.count) }) {
          control.append(message)
        }
      }
    case .clockStarts(let thousandths, let jitter):
      timeSources.sender.start(thousandths: thousandths, jitter: jitter, at: now)
    case .clockDropsOut(let milliseconds):
      timeSources.sender.dropOut(from: now, until: now + UInt64(milliseconds) * 1_000_000)
    case .clockStops: timeSources.sender.stop()
    case .serverDies(let milliseconds, let rate, let period): try die(milliseconds, rate, period)
    case .serverHangs(let milliseconds):
      guard server.state == .up else { return }
      server.hang()
      connections.noteEvent(server)
      witness.noteHang(until: now + UInt64(milliseconds) * 1_000_000)
      witness.unsettle(at: now, for: settle)
      after(UInt64(milliseconds) * 1_000_000, .serverGoesOn)
    case .serverChangesPeriod(let frames):
      guard server.state == .up else { return }
      try turn()
      witness.unsettle(at: now, for: settle)
      if frames < server.period { noteShorterCycles() }
      server.change(period: frames)
    case .serverChangesRate(let rate):
      // Of frames that were missed at another rate the program can't tell how many they were.
      guard server.state == .up, server.hasClient, missed == 0 else { return }
      if rate > server.rate { noteShorterCycles() }
      server.change(rate: rate)
      rateChangedAt = now
      witness.noteServer(at: now, delay: server.delay)
    case .missesCycles(let count):
      guard server.state == .up, server.hasClient else { return }
      miss(count)
    case .unplugs(let device, let milliseconds):
      guard server.devices.port(device) != nil else { return }
      server.unplug(device)
      connections.noteEvent(of: device, server)
      after(UInt64(milliseconds) * 1_000_000, .plugs(device))
    case .connects(let device, let port, let connects):
      connect(device.programPorts[port % device.programPorts.count], device, connects)
    case .transportRolls(let rolls):
      witness.unsettle(at: now, for: settle)
      witness.endCount(at: now, delay: server.delay)
      server.roll(rolls)
    case .transportLocates(let frame):
      witness.unsettle(at: now, for: settle)
      // The transport is moved two cycles later.
      witness.endCount(at: now, delay: server.delay + 2 * server.periodTime)
      server.locate(frame)
    case .othersAreSlow(let cycles): server.transport.slowCycles = cycles
    case .together(let deeds, let cycles):
      for (index, deed) in deeds.enumerated() {
        // The judges are unsettled for longer than these cycles.
        guard index * cycles > 0 else {
          try carryOut(deed)
          continue
        }
        after(UInt64(index * cycles) * server.periodTime, .carriesOut(deed))
      }
    case .leaderComes(let thousandths, let notes, let unit, let milliseconds):
      witness.unsettle(at: now, for: settle)
      timeSources.leader = OtherLeader(beatsPerMinute: Double(thousandths) / 1_000, notes: notes, unit: unit)
      server.fillPosition = { [timeSources] in timeSources.leader?.fill(&$0, rate: $1) }
      server.lead(byOther: true)
      server.keepsLead = flaw == .leadsNoMore
      timers.removeAll { if case .leaderLeaves = $0.timer { true } else { false } }
      after(UInt64(milliseconds) * 1_000_000, .leaderLeaves)
    case .leaderTakes(let habit, let milliseconds):
      guard timeSources.leader != nil else { return }
      witness.unsettle(at: now, for: settle + witness.barTime)
      timeSources.leader?.take(habit, at: server.frame)
      timers.removeAll { if case .leaderIsHonest = $0.timer { true } else { false } }
      after(UInt64(milliseconds) * 1_000_000, .leaderIsHonest)
    case .linkPeers(let count): world.link.setPeers(count)
    case .linkDropsOut(let milliseconds, let ahead):
      world.link.dropOut()
      timers.removeAll { if case .linkIsBack = $0.timer { true } else { false } }
      after(UInt64(milliseconds) * 1_000_000, .linkIsBack(beats: Double(ahead) / 1_000))
    case .linkTempo(let thousandths):
      witness.unsettle(at: now, for: settle)
      world.link.setTempo(Double(thousandths) / 1_000)
    case .linkPlays(let plays):
      witness.unsettle(at: now, for: settle)
      world.link.play(plays)
    case .diskIsFull(let milliseconds):
      world.disk.fill()
      diskBusyUntil = .max
      after(UInt64(milliseconds) * 1_000_000, .diskIsFine)
    case .diskIsSlow(let milliseconds, let delay):
      world.work.delay = UInt64(delay) * 1_000_000
      diskBusyUntil = .max
      after(UInt64(milliseconds) * 1_000_000, .diskIsFast)
    case .crash(let cut):
      let isSaving = world.work.isSaving
      try killProgram()
      if isSaving { world.disk.leaveRest(percent: cut) }
      after(300_000_000, .startProgram)
    case .restart:
      try endProgram()
      after(300_000_000, .startProgram)
    case .stateFileIsCut(let percent):
      try killProgram()
      cut = world.disk.cut(percent: percent)
      connections.noteCrash(saving: nil, server)
      after(300_000_000, .startProgram)
    case .wallClockJumps(let seconds): time.setWallClock(ahead: seconds)
    case .opens(let document):
      witness.unsettle(at: now, for: settle)
      world.disk.write(document)
      documents[world.disk.path(of: document)] = [document]
      send([Deed.Message(address: "/tactus/session", arguments: [.text(document.name)])])
    case .opensMedley(let songs):
      witness.unsettle(at: now, for: settle)
      for song in songs { world.disk.write(song) }
      let name = Document.medley(of: songs)
      world.disk.write(Document.text(ofMedley: songs), to: name)
      documents[world.disk.path(ofDocument: name)] = songs
      send([Deed.Message(address: "/tactus/session", arguments: [.text(name)])])
    }
  }

  func perform(_ timer: Timer) throws(Fault) {
    switch timer {
    case .renew, .compare: break
    default: noteEndings()
    }
    switch timer {
    case .plugs(let device):
      server.plug(device)
      connections.noteEvent(server)
    case .serverBack(let rate, let period):
      guard server.state == .down else { return }
      // Other clients come back one after the other.
      for (index, device) in Device.allCases.enumerated() where !device.isPhysical {
        after(UInt64(1 + index * period % 7) * 300_000_000, .plugs(device))
      }
      server.start(rate: rate, period: period)
    case .serverGoesOn:
      guard server.state == .hung else { return }
      // Changes that had a frame are late by the time without frames.
      witness.unsettle(at: now, for: 1_000_000_000 + now - server.hungSince)
      server.proceed()
      connections.noteEvent(server)
    case .leaderIsHonest:
      witness.unsettle(at: now, for: 1_000_000_000)
      timeSources.leader?.take(.isHonest, at: server.frame)
    case .leaderLeaves:
      witness.noteLeaderLeft(at: now, isRolling: server.isRolling)
      server.lead(byOther: false)
      timeSources.leader = nil
    case .linkIsBack(let beats):
      witness.unsettle(at: now, for: 200_000_000 + 3 * server.periodTime)
      world.link.rejoin(beats: beats)
    case .diskIsFine:
      world.disk.clear(at: now)
      noteFineDisk()
    case .diskIsFast:
      world.work.delay = 5_000_000
      world.work.hurry()
      noteFineDisk()
    case .carriesOut(let deed): try carryOut(deed)
    case .startProgram: if program == nil { try startProgram() }
    case .renew:
      subscribe(Simulation.earPort)
      after(25_000_000_000, .renew)
    case .compare:
      try compareAnswers()
      after(60_000_000_000, .compare)
    }
  }

  /// Notes that a document's count-in, or a hold, may end.
  private func noteEndings(keepsCountIn: Bool = false, keepsHold: Bool = false) {
    let settle = 1_000_000_000 + 3 * server.periodTime
    if !keepsCountIn { witness.endCountIn(settle, at: now) }
    if !keepsHold { witness.endHold(settle, at: now) }
  }

  /// Notes that cycles become shorter. PipeWire counts the cycles for which a transport waits, so that shorter ones end a count.
  private func noteShorterCycles() {
    guard server.isPipeWire, witness.hasPreRoll else { return }
    witness.unsettle(at: now, for: SimulatedServer.longestWait)
    witness.noteShortWait(until: now + SimulatedServer.longestWait)
  }

  /// Notes that the disk works again, except for the work that has waited for it.
  private func noteFineDisk() { diskBusyUntil = now + 100_000_000 }

  private func die(_ milliseconds: Int, _ rate: Int, _ period: Int) throws(Fault) {
    guard server.state == .up else { return }
    // Reports of what was played arrive before the news.
    if program != nil { try turn() }
    server.die(isOrderly: milliseconds.isMultiple(of: 2))
    server.refusesClients = flaw == .noRecovery
    server.ignoresConnections = flaw == .devicesStayDisconnected
    witness.loseTape()
    connections.noteEvent(server)
    after(UInt64(milliseconds) * 1_000_000, .serverBack(rate: rate, period: period))
  }

  // MARK: Senders

  private static func movesOnsets(_ address: String) -> Bool {
    ![
      "/tactus/volume", "/tactus/mute", "/tactus/sound", "/tactus/save", "/tactus/note", "/tactus/layer",
      "/tactus/polyrhythm",
    ].contains { address.hasPrefix($0) }
  }

  /// Whether an address leaves the music's position unchanged.
  private static func isTempo(_ address: String) -> Bool {
    ["/tactus/tempo", "/tactus/swing", "/tactus/subdivision", "/tactus/volume", "/tactus/tap"].contains {
      address.hasPrefix($0)
    }
  }

  func deliver(_ datagrams: [[UInt8]], from port: UInt16) {
    guard let program else { return }
    for datagram in datagrams { program.line.deliver(datagram, from: port) }
    program.wake()
  }

  func subscribe(_ port: UInt16) {
    deliver(OSCLine.bytes([Deed.Message(address: "/tactus/subscribe", arguments: [])]), from: port)
  }

  private func send(_ messages: [Deed.Message], at wallClock: Int64? = nil) {
    deliver(OSCLine.bytes(messages, at: wallClock), from: Simulation.appPort)
  }
}
