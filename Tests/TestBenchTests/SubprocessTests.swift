import Glibc
import TestBench
import Testing

struct SubprocessTests {
  @Test func `Lines come as they are printed`() throws {
    let program = try Subprocess(
      "sh", ["-c", "echo one; echo \"$WORD\"; exec cat /dev/zero"], environment: ["WORD": "two"])
    #expect(try program.waitForLine(containing: "w") == "two")
    #expect(program.lines == ["one", "two"])
    #expect(program.isRunning)
    program.signal(SIGTERM)
    #expect(try program.waitForExit() == .signalled(SIGTERM))
  }

  @Test func `An exit code and standard error are kept`() throws {
    let program = try Subprocess("sh", ["-c", "echo sorry >&2; printf unfinished; exit 3"])
    #expect(try program.waitForExit() == .exited(3))
    #expect(program.errorLines == ["sorry"])
    #expect(program.lines == ["unfinished"])
  }

  @Test func `A program that never ends is killed at the deadline`() throws {
    let program = try Subprocess("sh", ["-c", "trap '' TERM; echo deaf; exec cat /dev/zero"])
    try program.waitForLine(containing: "deaf")
    program.signal(SIGTERM)
    #expect(throws: BenchError.self) { try program.waitForExit(within: .milliseconds(200)) }
    #expect(!program.isRunning)
  }

  @Test func `A line that can't come any more is not waited for`() throws {
    let program = try Subprocess("echo", ["hello"])
    let began = ContinuousClock.now
    #expect(throws: BenchError.self) { try program.waitForLine(containing: "bye", within: .seconds(30)) }
    #expect(ContinuousClock.now - began < .seconds(10))
  }

  @Test func `Standard input is empty`() throws {
    #expect(try Subprocess("cat").waitForExit() == .exited(0))
  }

  @Test func `What was built lies beside the tests`() throws {
    #expect(try Subprocess.built("tactus").hasSuffix("/release/tactus"))
    #expect(throws: BenchError.self) { try Subprocess.built("nothing") }
  }
}
