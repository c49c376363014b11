import Engine
import MusicTime
import Realtime

/// Requests for one instant, near enough to have a frame.
struct ScheduledChange {
  /// When the change is heard.
  let time: Instant
  /// The clock frame that is heard then; nil without a server.
  let frame: ClockFrame?
  /// Whether the music plays from then on; nil if that does not change.
  var isPlaying: Bool?
  /// The requests that take effect then.
  var requests: [Request] = []
  /// Whether the engine has the change and makes what it can of it by itself.
  var isHanded = false
  /// Whether the engine may have made it before something that was asked for at once and comes before it.
  var isOvertaken = false
}

/// Lead times of scheduled changes.
struct ScheduleLead: Equatable {
  /// How long before it gets its frame: several of the usual periods.
  static let usual = Duration.milliseconds(100)
  /// Until it gets its frame.
  let frame: Duration
  /// Until the engine must have it, even if an update has just been published.
  let handover: Duration

  /// - Parameter clock: the host's; nil without one.
  init(_ clock: HostClock?) {
    let delay = clock?.delay ?? .zero
    frame = max(ScheduleLead.usual, delay + .milliseconds(70))
    handover = max(.milliseconds(50), delay + .milliseconds(30))
  }
}

/// Requests for later, and the near ones among them, which have a frame.
struct ScheduledChanges {
  private var schedule = Schedule()
  /// At most `ScoreUpdate.capacity`, soonest first.
  private var near: [ScheduledChange] = []
  /// Whether a change has a frame and the engine does not have it yet.
  private(set) var hasNew = false
  /// The clock frame of the last change that was carried out; `earliest` if there was none.
  private(set) var passedFrame = ClockFrame.earliest
  /// The last change that the engine makes by itself, if it had not rendered that change's frame when its time had come.
  private var unrendered: ScheduledChange?

  // MARK: What waits

  /// Adds a request.
  /// - Returns: why it is refused, or a warning for its owner; nil otherwise.
  mutating func insert(_ request: Request, at time: Instant, now: Instant) -> String? {
    schedule.insert(request, at: time, now: now) ?? schedule.warning(for: request, at: time, now: now)
  }

  /// Drops the requests of an owner that have no frame yet.
  mutating func clear(of owner: String?) { schedule.clear(of: owner) }

  /// Drops all requests that have no frame yet.
  mutating func clear() { schedule.clear() }

  /// The requests without a frame, with their senders, soonest first.
  var entries: [Scheduled] { schedule.entries }

  // MARK: What is near

  /// Whether a change has a frame.
  var hasNear: Bool { !near.isEmpty }

  /// Whether the music plays after all near changes; nil if none of them starts or stops it.
  var isPlaying: Bool? { near.last { $0.isPlaying != nil }?.isPlaying }

  /// When a request must get its frame, or a change must be carried out.
  /// - Parameter leadTime: how long before its time a request gets its frame.
  func deadline(leadTime: Duration) -> Instant {
    let soonest = near.first?.time ?? .never
    guard near.count < ScoreUpdate.capacity else { return soonest }
    return min(soonest, schedule.nextTime - leadTime)
  }

  /// Deadline for handing new changes to the engine; `never` if there are none.
  func lastMoment(_ lead: ScheduleLead) -> Instant {
    guard hasNew, let time = near.first(where: { !$0.isHanded })?.time else { return .never }
    return time - lead.handover
  }

  /// Takes out the requests that are due next, if they are due by `limit` and there is room for another change.
  mutating func takeSoon(dueBy limit: Instant) -> (time: Instant, requests: [Request])? {
    near.count < ScoreUpdate.capacity ? schedule.take(dueBy: limit) : nil
  }

  /// Adds a change after all that are due no later.
  /// - Parameter isNew: whether the engine must get it.
  mutating func add(_ change: ScheduledChange, isNew: Bool) {
    near.insert(change, at: near.firstIndex { $0.time > change.time } ?? near.endIndex)
    if isNew { hasNew = true }
  }

  /// The near changes have no frames any more: each is carried out at its time.
  mutating func loseFrames() {
    near = near.map {
      ScheduledChange(time: $0.time, frame: nil, isPlaying: $0.isPlaying, requests: $0.requests)
    }
    hasNew = false
    unrendered = nil
  }

  /// Takes out the next change if its time has come.
  /// - Parameter rendered: the clock frame up to which the engine has rendered.
  mutating func takePassed(at time: Instant, rendered: ClockFrame) -> ScheduledChange? {
    guard let first = near.first, first.time <= time || first.frame ?? .never < rendered else { return nil }
    near.removeFirst()
    passedFrame = max(passedFrame, first.frame ?? .earliest)
    if first.isHanded || first.isPlaying != nil, let frame = first.frame, frame >= rendered {
      unrendered = first
    }
    // The engine may have room for another one now.
    if first.isHanded, near.contains(where: { !$0.isHanded && $0.frame != nil }) { hasNew = true }
    return first
  }

  /// Takes the last change that was carried out, if the engine does not come to its frame: the server hangs, perhaps for too short a
  /// time to be noticed.
  /// - Parameters:
  ///   - rendered: the clock frame up to which the engine has rendered.
  ///   - patience: how long after the change's time the engine must have rendered its frame.
  mutating func takeUnrendered(
    at time: Instant, rendered: ClockFrame, patience: Duration
  ) -> ScheduledChange? {
    guard let change = unrendered, let frame = change.frame else { return nil }
    let isStuck = frame >= rendered && time >= change.time + patience
    if isStuck || frame < rendered { unrendered = nil }
    return isStuck ? change : nil
  }

  /// A start or stop at once was sent, which the engine may get after it has made near changes.
  mutating func noteMovement() {
    for index in near.indices where near[index].isPlaying != nil { near[index].isOvertaken = true }
  }

  /// The changes of settings that have a frame, each with its index for `noteHandedOver`.
  /// - Parameter change: what an update does to the settings; nil if the engine can't have it with a date.
  func dates(
    _ change: (Update) -> ((inout Settings) throws -> Void)?
  ) -> [(index: Int, dated: ScorePublisher.Dated)] {
    var earliest = ClockFrame.earliest
    return near.indices.compactMap { index in
      guard let wanted = near[index].frame else { return nil }
      // Readings of the host's clock jitter. A later request must not come before an earlier one.
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
