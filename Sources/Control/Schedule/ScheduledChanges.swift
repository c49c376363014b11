import Engine
import MusicTime
import Realtime

/// Requests for one instant that is near enough to have a frame.
struct ScheduledChange {
  /// When the change becomes audible.
  let time: Instant
  /// The clock frame that is audible at that time; nil without a server.
  let frame: ClockFrame?
  /// The frame before the server was lost, for which the engine may still have a command; nil if there was none.
  var lostFrame: ClockFrame?
  /// Whether the music plays after the change; nil if the change neither starts nor stops it.
  var isPlaying: Bool?
  /// The requests that take effect at that time.
  var requests: [Request] = []
  /// Whether the engine has received the change and applies its own part of it.
  var isHanded = false
  /// Whether the engine may have applied it before an earlier command that took effect at once.
  var isOvertaken = false
}

/// Lead times of scheduled changes, relative to their time.
struct ScheduleLead: Equatable {
  /// Minimum time between assigning a frame and reaching it; several periods.
  static let usual = Duration.milliseconds(100)
  /// How long before its time a change receives its frame.
  let frame: Duration
  /// How long before its time the engine must have the change, even if an update has just been published.
  let handover: Duration

  /// - Parameter clock: the host's clock; nil without a server.
  init(_ clock: HostClock?) {
    let delay = clock?.delay ?? .zero
    frame = max(ScheduleLead.usual, delay + .milliseconds(70))
    handover = max(.milliseconds(50), delay + .milliseconds(30))
  }
}

/// Scheduled requests, and the near ones, which have a frame.
struct ScheduledChanges {
  private var schedule = Schedule()
  /// At most `ScoreUpdate.capacity`, earliest first.
  private var near: [ScheduledChange] = []
  /// Whether a change has a frame and the engine has not received it yet.
  private(set) var hasNew = false
  /// The clock frame of the last change that was carried out; `earliest` if there is none.
  private(set) var passedFrame = ClockFrame.earliest
  /// The last change that the engine applies by itself and whose frame it had not rendered at the change's time; nil if there
  /// is none.
  private var unrendered: ScheduledChange?

  // MARK: Waiting requests

  /// Adds a request.
  /// - Returns: the reason if it is refused; nil otherwise.
  mutating func insert(_ request: Request, at time: Instant, now: Instant) -> String? {
    schedule.insert(request, at: time, now: now)
  }

  /// The warning for the owner of a request that was added; nil if there is none.
  mutating func warning(for request: Request, at time: Instant, now: Instant) -> String? {
    schedule.warning(for: request, at: time, now: now)
  }

  /// Drops the requests of an owner that have no frame yet.
  mutating func clear(of owner: String?) { schedule.clear(of: owner) }

  /// Drops all requests that have no frame yet.
  mutating func clear() { schedule.clear() }

  /// The requests without a frame, with their senders, earliest first.
  var entries: [Scheduled] { schedule.entries }

  // MARK: Near changes

  /// Whether a change has a frame.
  var hasNear: Bool { !near.isEmpty }

  /// Whether the music plays after all near changes; nil if none of them starts or stops it.
  var isPlaying: Bool? { near.last { $0.isPlaying != nil }?.isPlaying }

  /// When a request must receive its frame, or a change must be carried out.
  /// - Parameter leadTime: how long before its time a request receives its frame.
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

  /// Removes and returns the next requests, if they are due by `limit` and there is room for another change.
  mutating func takeSoon(dueBy limit: Instant) -> (time: Instant, requests: [Request])? {
    near.count < ScoreUpdate.capacity ? schedule.take(dueBy: limit) : nil
  }

  /// Adds a change after all changes that are due no later.
  /// - Parameter isNew: whether the engine must receive it.
  mutating func add(_ change: ScheduledChange, isNew: Bool) {
    near.insert(change, at: near.firstIndex { $0.time > change.time } ?? near.endIndex)
    if isNew { hasNew = true }
  }

  /// Removes the frames of all near changes: each is then carried out at its time.
  mutating func loseFrames() {
    near = near.map {
      ScheduledChange(
        time: $0.time, frame: nil, lostFrame: $0.frame ?? $0.lostFrame, isPlaying: $0.isPlaying,
        requests: $0.requests)
    }
    hasNew = false
    unrendered = nil
  }

  /// Removes and returns the next change if its time has come or its frame has been rendered.
  /// - Parameter rendered: the clock frame up to which the engine has rendered.
  mutating func takePassed(at time: Instant, rendered: ClockFrame) -> ScheduledChange? {
    guard let first = near.first, first.time <= time || first.frame ?? .never < rendered else { return nil }
    near.removeFirst()
    passedFrame = max(passedFrame, first.frame ?? first.lostFrame ?? .earliest)
    if first.isHanded || first.isPlaying != nil, let frame = first.frame, frame >= rendered {
      unrendered = first
    }
    // The engine may have room for another change now.
    if first.isHanded, near.contains(where: { !$0.isHanded && $0.frame != nil }) { hasNew = true }
    return first
  }

  /// Removes and returns the last change that was carried out, if the engine does not reach its frame: the server hangs,
  /// perhaps too briefly to be noticed.
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

  /// Notes a start or stop that was sent to take effect at once; the engine may receive it after it has applied near changes.
  mutating func noteMovement() {
    for index in near.indices where near[index].isPlaying != nil { near[index].isOvertaken = true }
  }

  /// The changes of settings that have a frame, each with its index for `noteHandedOver`.
  /// - Parameter change: how an update changes the settings; nil if the engine can't receive it with a date.
  func dates(
    _ change: (Update) -> ((inout Settings) throws -> Void)?
  ) -> [(index: Int, dated: ScorePublisher.Dated)] {
    var earliest = ClockFrame.earliest
    return near.indices.compactMap { index in
      guard let wanted = near[index].frame else { return nil }
      // The host's clock jitters. A later request must not precede an earlier one.
      let frame = max(wanted, earliest)
      earliest = frame
      let changes = near[index].requests.compactMap { request in
        if case .update(let update) = request.content { change(update) } else { nil }
      }
      guard !changes.isEmpty else { return nil }
      return (index, (frame, { settings in for change in changes { try? change(&settings) } }))
    }
  }

  /// Notes that the engine has received the changes before this index; nil: all changes.
  mutating func noteHandedOver(before end: Int?) {
    for index in 0..<(end ?? near.count) where near[index].frame != nil { near[index].isHanded = true }
    hasNew = false
  }
}
