import Engine
import MusicTime

/// Something that happens later, of which the engine has been or will be told.
struct Appointment {
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

/// Requests for later: handed to the engine a little ahead, which has them happen on their frame.
extension ConductorState {
  /// Nanoseconds ahead of its time at which a scheduled request goes to the engine: several of the longest periods.
  static let lookahead: UInt64 = 100_000_000
  /// Nanoseconds before its time at which it goes there, whatever else has just gone.
  private static let haste: UInt64 = 50_000_000

  /// When the next scheduled request or appointment wants to be seen to.
  var nextAppointment: UInt64 {
    let soonest = appointments.first?.time ?? .max
    guard appointments.count < Programme.capacity, schedule.nextTime != .max else { return soonest }
    return min(soonest, schedule.nextTime - min(schedule.nextTime, leadTime))
  }

  /// Without a server there is no frame to aim at: then things happen when their time has come.
  private var leadTime: UInt64 { now.sampleRate > 0 ? ConductorState.lookahead : 0 }

  /// When the engine has to be told of what has got a date at the latest.
  var lastMoment: UInt64 {
    guard hasNewDates, let time = appointments.first(where: { !$0.isHanded })?.time else { return .max }
    return time - min(time, ConductorState.haste)
  }

  /// Sees to the moments that have come.
  func keepAppointments() {
    let time = Monotonic.now
    let rendered = channels.pointee.clock.load(ordering: .relaxed)
    while let first = appointments.first, first.time <= time || first.frame ?? .max < rendered {
      appointments.removeFirst()
      if let isPlaying = first.isPlaying { now.isPlaying = isPlaying }
      for request in first.requests { keep(request, isHanded: first.isHanded) }
    }
  }

  private func keep(_ request: Request, isHanded: Bool) {
    guard case .update(let update) = request.content else { return }
    guard isHanded, let change = change(update) else { return apply(update, request) }
    do {
      try change(&now.settings)
      scores.note { try? change(&$0) }
    } catch { request.refuse?("\(error)") }
  }

  /// What an update does to the settings, where the engine can have it with a date: sounds have to be read first, and a role
  /// is the transport's business.
  private func change(_ update: Update) -> ((inout Settings) throws -> Void)? {
    let isOfDocument = shelf != nil
    switch update {
    case .set(.sound), .set(.role): return nil
    // The session's tempo is not the engine's to change.
    case .set(.tempo) where isLinked, .nudge where isLinked: return nil
    case .set(let setting):
      return isOfDocument && setting.isOfTheMusic ? nil : { try $0.set(setting) }
    case .nudge(let thousandths):
      return isOfDocument ? nil : { try $0.set(.tempo($0.nudged(by: thousandths))) }
    default: return nil
    }
  }

  /// The changes that have a date, for the engine.
  func handOverDates() -> [ScorePublisher.Dated] {
    var earliest = Int64.min
    return appointments.indices.compactMap { index in
      guard let wanted = appointments[index].frame else { return nil }
      appointments[index].isHanded = true
      // Frames are worked out from a clock that wavers; what was asked for later is not to come before.
      let frame = max(wanted, earliest)
      earliest = frame
      let changes = appointments[index].requests.compactMap { request in
        if case .update(let update) = request.content { change(update) } else { nil }
      }
      guard !changes.isEmpty else { return nil }
      return (frame, { settings in for change in changes { try? change(&settings) } })
    }
  }

  /// Makes appointments of what is due soon, and tells the engine of the starts, stops and places among it.
  func performScheduled() {
    while appointments.count < Programme.capacity,
      let (due, requests) = schedule.take(dueBy: Monotonic.now + leadTime)
    {
      let frame = host?.clockFrame(soundingAt: due)
      var appointment: Appointment? = Appointment(time: due, frame: frame)
      for request in requests {
        guard case .update(let update) = request.content else { continue }
        if update.isMovement, now.settings.role == .free, frame != nil {
          apply(update, request, at: &appointment)
        } else {
          appointment?.requests.append(request)
          if change(update) != nil, frame != nil { hasNewDates = true }
        }
      }
      let index = appointments.firstIndex { $0.time > due } ?? appointments.endIndex
      appointments.insert(appointment!, at: index)
    }
  }
}
