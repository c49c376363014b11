import Engine

/// Something that happens later, of which the engine has been or will be told.
struct ScheduledChange {
  /// When it sounds, by `Monotonic`.
  let time: UInt64
  /// The clock frame that sounds then; nil where there is no server.
  let frame: Int64?
  /// Whether it plays from then on; nil where that stays as it is.
  var isPlaying: Bool?
  /// What takes effect then.
  var requests: [Request] = []
  /// Whether the engine makes those of the changes by itself that it can.
  var isHanded = false
}

/// Requests for later, and those of them whose time is so near that they have a frame.
struct ScheduledChanges {
  /// Nanoseconds before its time at which a change goes to the engine, whatever else has just gone.
  private static let haste: UInt64 = 50_000_000

  private var schedule = Schedule()
  /// At most `ScoreUpdate.capacity`, soonest first.
  private var near: [ScheduledChange] = []
  /// Whether something has got a date that the engine does not know.
  private(set) var hasNew = false

  // MARK: What waits

  /// Adds a request.
  /// - Returns: why it can't be taken, or what its owner should know; nil if all is well.
  mutating func insert(_ request: Request, at time: UInt64, now: UInt64) -> String? {
    schedule.insert(request, at: time, now: now) ?? schedule.warning(for: request, at: time, now: now)
  }

  /// Forgets the requests of an owner that have no frame yet.
  mutating func clear(of owner: String?) { schedule.clear(of: owner) }

  /// Forgets all requests that have no frame yet.
  mutating func clear() { schedule.clear() }

  /// What waits and who asked for it, soonest first.
  var entries: [Scheduled] { schedule.entries }

  // MARK: What is near

  /// Whether something has a frame.
  var hasNear: Bool { !near.isEmpty }

  /// Whether the music plays after all that has a frame; nil if nothing starts or stops it.
  var isPlaying: Bool? { near.last { $0.isPlaying != nil }?.isPlaying }

  /// When something has to be done.
  /// - Parameter leadTime: nanoseconds ahead of its time at which a request gets its frame.
  func deadline(leadTime: UInt64) -> UInt64 {
    let soonest = near.first?.time ?? .max
    guard near.count < ScoreUpdate.capacity, schedule.nextTime != .max else { return soonest }
    return min(soonest, schedule.nextTime - min(schedule.nextTime, leadTime))
  }

  /// Deadline for handing new dates to the engine; `.max` if there are none.
  var lastMoment: UInt64 {
    guard hasNew, let time = near.first(where: { !$0.isHanded })?.time else { return .max }
    return time - min(time, ScheduledChanges.haste)
  }

  /// Takes the requests out that are due next, if that is soon and there is room for them.
  mutating func takeSoon(dueBy limit: UInt64) -> (time: UInt64, requests: [Request])? {
    near.count < ScoreUpdate.capacity ? schedule.take(dueBy: limit) : nil
  }

  /// Adds a change after all that are due no later.
  /// - Parameter isNew: whether the engine is to know of it.
  mutating func add(_ change: ScheduledChange, isNew: Bool) {
    near.insert(change, at: near.firstIndex { $0.time > change.time } ?? near.endIndex)
    if isNew { hasNew = true }
  }

  /// Takes the next change out if its time has come.
  /// - Parameter rendered: the clock frame up to which the engine has rendered.
  mutating func takePassed(at time: UInt64, rendered: Int64) -> ScheduledChange? {
    guard let first = near.first, first.time <= time || first.frame ?? .max < rendered else { return nil }
    near.removeFirst()
    // There may be room for more in the engine now.
    if first.isHanded, near.contains(where: { !$0.isHanded && $0.frame != nil }) { hasNew = true }
    return first
  }

  /// The changes of settings that have a date, each with its index for `noteHandedOver`.
  /// - Parameter change: what an update does to the settings; nil if the engine can't have it with a date.
  func dates(
    _ change: (Update) -> ((inout Settings) throws -> Void)?
  ) -> [(index: Int, dated: ScorePublisher.Dated)] {
    var earliest = Int64.min
    return near.indices.compactMap { index in
      guard let wanted = near[index].frame else { return nil }
      // Frames are worked out from a clock that wavers; what was asked for later is not to come before.
      let frame = max(wanted, earliest)
      earliest = frame
      let changes = near[index].requests.compactMap { request in
        if case .update(let update) = request.content { change(update) } else { nil }
      }
      guard !changes.isEmpty else { return nil }
      return (index, (frame, { settings in for change in changes { try? change(&settings) } }))
    }
  }

  /// The engine has the changes before an index; nil for all.
  mutating func noteHandedOver(before end: Int?) {
    for index in 0..<(end ?? near.count) where near[index].frame != nil { near[index].isHanded = true }
    hasNew = false
  }
}
