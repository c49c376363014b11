import Control

/// The promises that are checked between the turns.
extension Simulation {
  /// Checks that a state file is found damaged if and only if it was cut off, and that it is set aside unchanged.
  func checkDamage(_ program: Program) throws(Fault) {
    defer { cut = nil }
    guard let (reason, movedTo) = program.damage else {
      guard cut == nil else {
        throw Fault(promise: .stateFile, what: "a state file that was cut off is read as if it were whole")
      }
      return
    }
    guard let cut else { throw Fault(promise: .stateFile, what: "the state file can't be read: \(reason)") }
    guard let movedTo, world.disk.read(movedTo) == cut else {
      throw Fault(promise: .settings, what: "a damaged state file is not kept: \(reason)")
    }
    world.disk.noteSetAside()
  }

  /// - Parameter crash: when the program crashed; nil if it ended.
  func checkFile(after crash: UInt64?) throws(Fault) {
    guard let reported = program?.reported else { return }
    // Changes are saved after a second, plus the time of the disk.
    let grace = 1_100_000_000 + 2 * world.work.delay + server.periodTime
    try SettingsJudge.judge(
      world.disk, reported, diedAt: crash, grace: grace, isDiskBusy: now < diskBusyUntil)
  }

  func checkBounds() throws(Fault) {
    guard let program else { return }
    func check(_ what: String, _ count: Int, _ limit: Int) throws(Fault) {
      if count > limit { throw Fault(promise: .bounds, what: "\(what): \(count), more than \(limit)") }
    }
    try check("packets that wait to be sent", program.line.mostWaiting, OSCLine.capacity)
    try check("jobs that wait", world.work.mostWaiting, 16)
    try check("saves kept in memory", world.disk.waiting, 4)
    if outcome.steps % 64 == 0 { try check("clips in memory", world.library.alive, ClipLibrary.capacity) }
  }

  /// Checks that the program leads if it must lead and no other client does.
  func checkLead() throws(Fault) {
    guard server.state == .up, server.hasClient, server.isRolling, server.leader == .nobody,
      witness.subscriber.text("role/wanted")?.hasPrefix("lead") == true
    else {
      leaderlessSince = nil
      return
    }
    let since = leaderlessSince ?? now
    leaderlessSince = since
    // The program needs 20 cycles to notice that another client leads.
    guard now > since + 3_000_000_000 + 25 * server.periodTime else { return }
    throw Fault(promise: .progress, what: "nobody leads the transport, though the program is to")
  }

  /// Checks that the answers to queries equal the pushed values.
  func compareAnswers() throws(Fault) {
    guard let program else { return }
    // A turn in which nothing happens may leave the comparison to a later one.
    program.conductor.updates.push(Request(.query { _ in }))
    program.turn(at: now)
    try listen()
    try witness.judge(scene)
    let before = witness.subscriber.values
    deliver(OSCLine.bytes([Deed.Message(address: "/tactus/query", arguments: [])]), from: Simulation.earPort)
    program.turn(at: now)
    try listen()
    for (address, value) in witness.subscriber.values.sorted(by: { $0.key < $1.key }) {
      guard let pushed = before[address], pushed != value else { continue }
      throw Fault(
        promise: .reported, what: "/tactus/\(address) was pushed as \(pushed) and is answered as \(value)")
    }
  }
}
