import Engine
import MusicTime

/// A moment for which the engine has been told what happens.
struct Appointment {
  /// When it sounds, by `Monotonic`.
  let time: UInt64
  /// The clock frame that sounds then; nil where there is no server.
  let frame: Int64?
  /// Whether it plays from then on; nil where that stays as it is.
  var isPlaying: Bool?
  /// What is asked of the transport, which can't be told before its time.
  var transport: [Request] = []
}

/// A score that the engine has, to take effect on a frame. The next one waits for that, or it would take its place.
struct HandedScore {
  let frame: Int64
  /// When that sounds; by then it is over in any case.
  let time: UInt64
}

/// Requests for later: handed to the engine a little ahead, which has them happen on their frame.
extension ConductorState {
  /// Nanoseconds ahead of its time at which a scheduled request goes to the engine: several of the longest periods.
  static let lookahead: UInt64 = 100_000_000

  /// When the next scheduled request or appointment wants to be seen to.
  var nextAppointment: UInt64 {
    let soonest = appointments.first?.time ?? .max
    guard handedScore == nil, schedule.nextTime != .max else { return soonest }
    return min(soonest, schedule.nextTime - min(schedule.nextTime, leadTime))
  }

  /// Without a server there is no frame to aim at: then things happen when their time has come.
  private var leadTime: UInt64 { now.sampleRate > 0 ? ConductorState.lookahead : 0 }

  /// Sees to the moments that have come.
  func keepAppointments() {
    let time = Monotonic.now
    while let first = appointments.first, first.time <= time {
      appointments.removeFirst()
      if let isPlaying = first.isPlaying { now.isPlaying = isPlaying }
      for request in first.transport {
        if case .update(let update) = request.content { apply(update, request) }
      }
    }
    if let handed = handedScore,
      handed.time <= time || channels.pointee.clock.load(ordering: .relaxed) > handed.frame
    {
      handedScore = nil
    }
  }

  /// Hands what is due soon to the engine.
  func performScheduled() {
    while handedScore == nil, let (due, requests) = schedule.take(dueBy: Monotonic.now + leadTime) {
      // What was asked for at once does not wait for that moment.
      if needsScore { publish() }
      let frame = host?.clockFrame(soundingAt: due)
      var appointment: Appointment? = Appointment(time: due, frame: frame)
      for request in requests {
        guard case .update(let update) = request.content else { continue }
        if update.isTransport, now.settings.role != .free {
          appointment?.transport.append(request)
        } else {
          apply(update, request, at: &appointment)
        }
      }
      appointments.append(appointment!)
      if needsScore, let frame {
        scores.publish(now, effective: frame)
        needsScore = false
        handedScore = HandedScore(frame: frame, time: due)
      }
    }
  }
}
