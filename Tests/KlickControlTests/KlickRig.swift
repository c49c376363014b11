import OSC
import OSCBench
import Realtime

@testable import KlickControl

extension RemoteRig {
  /// One that serves klick's namespace too.
  convenience init(klick host: KlickHost, _ change: (inout OSCServer.Configuration) -> Void = { _ in }) throws
  {
    try self.init(change, beside: { KlickRemote(host, server: $0, updates: $1) })
  }
}

extension EmbeddedRig {
  /// One that serves klick's namespace too.
  convenience init(klick host: KlickHost) throws {
    try self.init(beside: { surroundings in
      KlickRemote(
        host, server: surroundings.server, updates: surroundings.updates, clock: surroundings.clock,
        makeWorkQueue: { surroundings.work.queue($0) })
    })
  }
}
