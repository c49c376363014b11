import Foundation
import TestBench

/// Prints the onsets at the ports of a running server, until standard input ends: `PORT FRAME` for an onset, with ports
/// numbered from 0; `missed FRAME COUNT` for frames that were not recorded; `heard FRAME`: everything before it is printed.
func runListen(_ server: String, _ ports: [String]) throws {
  let server = JACKServer(running: server)
  let recorder = try RecorderClient(
    server: server, name: "listener", sources: ports,
    storage: .onsets(.anySound, capacity: 10_000_000))
  recorder.record()
  var told = [Int](repeating: 0, count: ports.count)
  var toldGaps = 0
  var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
  while poll(&input, 1, 500) == 0 {
    // The recorder has listed every onset before this frame.
    guard let first = recorder.firstFrame else { continue }
    if recorder.overflowed || recorder.client.isLost { throw BenchError("it hears no more") }
    let end = first + Int64(recorder.recordedFrames)
    var lines = ""
    let gaps = recorder.gaps
    for gap in gaps.dropFirst(toldGaps) { lines += "missed \(gap.start) \(gap.frameCount)\n" }
    toldGaps = gaps.count
    for port in ports.indices {
      let onsets = recorder.onsets(port: port)
      for onset in onsets.dropFirst(told[port]) { lines += "\(port) \(onset)\n" }
      told[port] = onsets.count
    }
    FileHandle.standardOutput.write(Data("\(lines)heard \(end)\n".utf8))
  }
}
