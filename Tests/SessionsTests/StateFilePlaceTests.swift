import Control
import ControlBench
import Files
import Foundation
import Synchronization
import TestNumbers
import Testing

@testable import Sessions

/// Links, pipes, folders and other programs in the place of the state file.
@Suite struct StateFilePlaceTests {
  @Test func aFileThatIsTooLargeIsNotRead() throws {
    let state = StateFolder()
    let reason = try state.damage("tempo: 90\n" + String(repeating: "#", count: StateFile.sizeLimit))
    #expect(
      reason
        == "file of more than \(StateFile.sizeLimit) bytes: must be at most \(StateFile.sizeLimit) bytes")
  }

  @Test func aFolderInTheFilesPlaceIsSetAside() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(atPath: state.file.path, withIntermediateDirectories: true)
    #expect(state.file.read().isDamaged)
    try state.file.write(Settings())
    #expect(state.file.read().settings == Settings())
  }

  @Test func `If the folder cannot be written, the error names the path`() throws {
    let state = StateFolder()
    // Root may write everywhere, but not below a file.
    try FileManager.default.createDirectory(atPath: state.folder, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: state.folder + "/tactus"))
    let failure = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
    #expect(failure.map { "\($0)" } == "\(state.file.path) can't be written: Not a directory")
  }

  @Test func `If the folder cannot be created, the error tells why`() throws {
    // Nobody can create a folder there, whether as root, as a user, or where it is read-only.
    let path = "/sys/tactus/state/tactus.yaml"
    let failure = #expect(throws: WriteError.self) { try StateFile(path: path).write(Settings()) }
    #expect(failure?.reason != String(cString: strerror(ENOENT)))
    let folder = #expect(throws: PrivateFolder.AccessError.self) { try PrivateFolder("/sys/tactus/state") }
    #expect(folder.map { "\($0)".contains(String(cString: strerror(ENOENT))) } == false)
  }

  @Test func aLinkToTheFileStays() throws {
    let state = StateFolder()
    try state.put([])
    let real = state.folder + "/real.yaml"
    try FileManager.default.moveItem(atPath: state.file.path, toPath: real)
    try FileManager.default.createSymbolicLink(atPath: state.file.path, withDestinationPath: real)
    try state.file.write(Settings())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: state.file.path) == real)
    #expect(state.file.read().settings == Settings())
    #expect(state.names == ["tactus.yaml"])
  }

  @Test(arguments: ["/real.yaml", "/middle.yaml"])
  func aLinkToWhereThereIsNoFileYetStays(target: String) throws {
    let state = StateFolder()
    let real = state.folder + "/real.yaml"
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    #expect(symlink("real.yaml", state.folder + "/middle.yaml") == 0)
    #expect(symlink("..\(target)", state.file.path) == 0)
    #expect(state.file.read().isNone)
    try state.file.write(Settings())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: state.file.path) == "..\(target)")
    #expect(StateFile(path: real).read().settings == Settings())
    #expect(state.names == ["tactus.yaml"])
  }

  @Test func aLinkThatLeadsNowhereIsRefusedAndStays() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    for (target, reason) in [
      (
        "/nowhere/at/all",
        "it is a link to /nowhere/at/all, whose folder does not exist: create it, or remove the link"
      ),
      ("tactus.yaml", "Too many levels of symbolic links"),
    ] {
      #expect(symlink(target, state.file.path) == 0)
      let failure = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
      #expect(failure?.reason == reason)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: state.file.path) == target)
      unlink(state.file.path)
    }
  }

  @Test func aPipeInTheFilesPlaceIsSetAside() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    #expect(mkfifo(state.file.path, 0o600) == 0)
    guard case .damaged(let reason, .some) = state.file.read() else {
      Issue.record("a pipe is no state file")
      return
    }
    #expect(reason == "no regular file: must be a text file, no folder, pipe or device")
    try state.file.write(Settings())
    #expect(state.names == ["tactus.yaml", "tactus.yaml.damaged"])
  }

  @Test func aLinkThatSomebodyPlantedIsNotWrittenThrough() throws {
    let state = StateFolder()
    try state.put([])
    let victim = state.folder + "/victim"
    try writeFile(Array("mine".utf8), to: victim)
    // The temporary name in earlier versions, which could be guessed.
    #expect(symlink(victim, "\(state.file.path).\(getpid()).new") == 0)
    try state.file.write(Settings())
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test(.enabled(if: getuid() != 0)) func aReadOnlyFolderGivesAClearError() throws {
    let state = StateFolder()
    try state.file.write(Settings())
    chmod(state.folder + "/tactus", 0o500)
    defer { chmod(state.folder + "/tactus", 0o700) }
    let failure = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
    #expect(failure.map { "\($0)" } == "\(state.file.path) can't be written: Permission denied")
    #expect(state.names == ["tactus.yaml"])
  }

  @Test func aReaderNeverSeesHalfAFile() throws {
    let state = StateFolder()
    let path = state.file.path
    var random = Generator(seed: 16)
    let written = (0..<20).map { _ in random.settings() }
    try state.file.write(written[0])
    let isOver = Atomic(false)
    let damaged = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 2) { role in
      if role == 0 {
        for round in 0..<100 { _ = try? StateFile(path: path).write(written[round % 20]) }
        isOver.store(true, ordering: .releasing)
      } else {
        while !isOver.load(ordering: .acquiring) {
          guard let settings = StateFile(path: path).read().settings, written.contains(settings) else {
            damaged.add(1, ordering: .relaxed)
            continue
          }
        }
      }
    }
    #expect(damaged.load(ordering: .relaxed) == 0)
    #expect(state.names == ["tactus.yaml"])
  }

  @Test func namesThatAreNoFileNamesStayInTheFolder() {
    let path = StateFile(client: "../a/b").path
    #expect(path.hasSuffix("/tactus/___a_b.yaml"))
  }
}
