import Engine
import MusicTime

/// Requests for later: handed to the engine a little ahead, which has them happen on their frame.
extension ConductorCore {
  /// Nanoseconds ahead of its time at which a scheduled request goes to the engine: several of the longest periods.
  static let lookahead: UInt64 = 100_000_000

  /// When the next scheduled request has to be handled.
  var nextScheduled: UInt64 { scheduled.deadline(leadTime: leadTime) }

  /// Without a server there is no frame to aim at: then things happen when their time has come.
  private var leadTime: UInt64 { now.sampleRate > 0 ? ConductorCore.lookahead : 0 }

  /// Forgets what waits for its time.
  /// - Parameter owner: whose requests; nil for everybody's.
  func clearSchedule(of owner: String?? = nil) {
    if let owner { scheduled.clear(of: owner) } else { scheduled.clear() }
  }

  /// Carries out the changes whose time has come.
  func carryOutScheduled() {
    let rendered = channels.pointee.clock.load(ordering: .relaxed)
    while let first = scheduled.takePassed(at: time, rendered: rendered) {
      if let isPlaying = first.isPlaying { now.isPlaying = isPlaying }
      for request in first.requests { keep(request, isHanded: first.isHanded) }
    }
  }

  private func keep(_ request: Request, isHanded: Bool) {
    guard case .update(let update) = request.content else { return }
    guard isHanded, let change = change(update) else { return apply(update, request) }
    let before = now.settings
    defer { noteChange(from: before) }
    do {
      try change(&now.settings)
      scores.note { try? change(&$0) }
    } catch { request.refuse?("\(error)") }
  }

  /// What an update does to the settings, where the engine can have it with a date: sounds have to be read first, and a role
  /// is the transport's business.
  private func change(_ update: Update) -> ((inout Settings) throws -> Void)? {
    let isOfDocument = playback != nil
    switch update {
    case .set(let setting):
      switch setting.parameter {
      case Parameters.sound.parameter, Parameters.role.parameter: return nil
      // The session's tempo is not the engine's to change.
      case Parameters.tempo.parameter where isLinked: return nil
      case let parameter: return isOfDocument && parameter.isMusic ? nil : { try $0.set(setting) }
      }
    case .nudge where isLinked: return nil
    case .nudge(let thousandths):
      return isOfDocument ? nil : { try $0.set(.tempo($0.nudged(by: thousandths))) }
    default: return nil
    }
  }

  /// Gives the engine how things are to stand as soon as that is allowed, and the changes that have a date.
  /// - Parameter hasChanged: whether the settings have changed since the last time.
  func handOver(hasChanged: Bool) {
    let dates = scheduled.dates { change($0) }
    let count = scores.publish(now, hasChanged: hasChanged, dated: dates.map(\.dated))
    scheduled.noteHandedOver(before: dates.dropFirst(count).first?.index)
  }

  /// Gives what is due soon its frame, and tells the engine of the starts, stops and places among it.
  func performScheduled() {
    while let (due, requests) = scheduled.takeSoon(dueBy: time + leadTime) {
      let frame = host?.clockFrame(soundingAt: due)
      var date: ScheduledChange? = ScheduledChange(time: due, frame: frame)
      var isNew = false
      for request in requests {
        guard case .update(let update) = request.content else { continue }
        if update.isMovement, now.settings.role == .free, frame != nil {
          apply(update, request, at: &date)
        } else {
          date?.requests.append(request)
          if change(update) != nil, frame != nil { isNew = true }
        }
      }
      if let date { scheduled.add(date, isNew: isNew) }
    }
  }
}
