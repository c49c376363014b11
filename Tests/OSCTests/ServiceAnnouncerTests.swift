import Foundation
import Testing

@testable import OSC

@Suite struct ServiceAnnouncerTests {
  /// Writes a program that sends its process id and arguments through a pipe, and keeps running.
  private static func program(telling pipe: String, at path: String) throws {
    try Data("#!/bin/sh\necho \"$$ $*\" > \(pipe)\nexec sleep 1000\n".utf8).write(
      to: URL(fileURLWithPath: path))
    chmod(path, 0o700)
  }

  private func runs(_ process: Int32) -> Bool { kill(process, 0) == 0 }

  @Test func `Each service has a program that announces it, and that ends with it`() throws {
    let folder = NSTemporaryDirectory() + "/tactus-announcer-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (pipe, program) = (folder + "/pipe", folder + "/publish")
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = fdopen(open(pipe, O_RDWR | O_CLOEXEC), "r")
    defer { fclose(reader) }
    try ServiceAnnouncerTests.program(telling: pipe, at: program)

    let announcer = ServiceAnnouncer(program: program)
    announcer.announce(
      [.init("_osc._udp", port: 9_700), .init("_http._tcp", port: 9_701, texts: ["path=/"])],
      as: "Tactus on " + String(repeating: "é", count: 40))
    var reported: [String] = []
    for _ in 0..<2 {
      var line = [CChar](repeating: 0, count: 512)
      try #require(fgets(&line, 512, reader) != nil)
      reported.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    // A name has 63 bytes at most, and whole letters.
    let name = "Tactus on " + String(repeating: "é", count: 26)
    #expect(
      Set(reported.map { $0.drop { $0 != " " }.dropFirst() }) == [
        "--no-fail --service \(name) _osc._udp 9700\n",
        "--no-fail --service \(name) _http._tcp 9701 path=/\n",
      ])
    let processes = reported.compactMap { Int32($0.prefix { $0 != " " }) }
    #expect(processes.count == 2 && processes.allSatisfy(runs))
    announcer.stop()
    // The processes have ended and were reaped.
    #expect(!processes.contains(where: runs))
  }

  @Test func `Where no such program exists, nothing happens`() {
    let announcer = ServiceAnnouncer(program: "/nonexistent/publish")
    announcer.announce([.init("_osc._udp", port: 9_700)], as: "Tactus")
    announcer.stop()
  }
}
