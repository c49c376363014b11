import Control
import ControlBench
import Files
import Foundation
import TestNumbers
import Testing

@testable import Sessions

@Suite struct StateFileTests {
  @Test func aFileThatIsMissingIsNoDamage() {
    let state = StateFolder()
    #expect(state.file.read().isNone)
    #expect(state.names.isEmpty)
  }

  @Test func aFileCutOffAnywhereIsSetAside() throws {
    let state = StateFolder()
    var random = Generator(seed: 13)
    try state.file.write(random.savedSettings())
    let whole = try Data(contentsOf: URL(fileURLWithPath: state.file.path))
    // The last byte is the end of the last line.
    for length in 0..<whole.count - 1 {
      try state.put(whole.prefix(length))
      switch state.file.read() {
      case .none: Issue.record("it was there")
      case .settings, .partial: Issue.record("\(length) of \(whole.count) bytes are read")
      case .damaged(let reason, let movedTo):
        #expect(!reason.isEmpty && !reason.contains("\n"))
        let aside = try #require(movedTo)
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == whole.prefix(length))
        try FileManager.default.removeItem(atPath: aside)
      }
    }
  }

  @Test func randomBytesAreSetAsideAndNeverCrash() throws {
    let state = StateFolder()
    var random = Generator(seed: 14)
    for _ in 0..<1_000 {
      try state.put(
        (0..<Int.random(in: 1...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      switch state.file.read() {
      case .damaged(_, let copy?), .partial(_, _, let copy?):
        try FileManager.default.removeItem(atPath: copy)
      default: break
      }
    }
  }

  @Test func randomlyChangedFilesGiveValidSettingsOrAreSetAside() throws {
    let state = StateFolder()
    var random = Generator(seed: 15)
    try state.file.write(random.settings())
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: state.file.path)))
    for _ in 0..<10_000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[.random(in: bytes.indices, using: &random)] = UInt8.random(in: 32...126, using: &random)
      }
      try state.put(bytes)
      switch state.file.read() {
      case .none: Issue.record("it was there")
      case .settings(let settings, _): #expect(throws: Never.self) { try settings.layout }
      case .partial(let settings, _, let copy):
        #expect(throws: Never.self) { try settings.layout }
        try FileManager.default.removeItem(atPath: #require(copy))
      case .damaged(_, let movedTo): try FileManager.default.removeItem(atPath: #require(movedTo))
      }
    }
  }

  @Test func eachDamagedFileIsKeptUnderANameOfItsOwn() throws {
    let state = StateFolder()
    for text in ["[", "{", "]"] { #expect(try state.damage(text) != nil) }
    #expect(
      state.names == ["tactus.yaml.damaged", "tactus.yaml.damaged-2", "tactus.yaml.damaged-3"])
  }

  @Test func settingsThatCanNotBeReadAreNotReplaced() throws {
    let state = StateFolder()
    try FileManager.default.createDirectory(
      atPath: state.folder + "/tactus", withIntermediateDirectories: true)
    // A regular file that the system can't read, not even for root.
    #expect(symlink("/proc/self/mem", state.file.path) == 0)
    guard case .damaged(let reason, nil) = state.file.read() else {
      Issue.record("it is read")
      return
    }
    #expect(reason.hasPrefix("can't be read"))
    let error = #expect(throws: WriteError.self) { try state.file.write(Settings()) }
    #expect(error?.reason.contains("can't be read, and are not replaced") == true)
    #expect(state.names == ["tactus.yaml"])

    // Once it can be read it is copied, because it was not read before.
    let backup = try #require(state.file.backupPath)
    #expect(unlink(state.file.path) == 0)
    try state.put("tempo: 133\n".utf8)
    try state.file.write(Settings(), keepingAs: backup)
    #expect(try String(contentsOfFile: backup, encoding: .utf8) == "tempo: 133\n")
  }

  @Test func aFileThatIsDamagedMeanwhileIsCopiedBeforeItIsReplaced() throws {
    let state = StateFolder()
    try state.put("tempo: fast".utf8)
    try state.file.write(Settings())
    #expect(try String(contentsOfFile: state.file.path + ".damaged", encoding: .utf8) == "tempo: fast")
    #expect(unlink(state.file.path + ".damaged") == 0)
    try state.put("tempo: [".utf8)
    try state.file.write(Settings())
    #expect(state.names == ["tactus.yaml", "tactus.yaml.damaged"])
    #expect(try String(contentsOfFile: state.file.path + ".damaged", encoding: .utf8) == "tempo: [")
    #expect(state.file.read().settings != nil)
  }

  @Test func `A replaced file is kept once and overwrites nothing`() throws {
    let state = StateFolder()
    #expect(state.file.backupPath == nil)
    for number in 1...3 {
      try state.put("tempo: \(90 + number)\n".utf8)
      let backup = try #require(state.file.backupPath)
      for _ in 0..<2 { try state.file.write(Settings(), keepingAs: backup) }
      #expect(state.file.read().settings == Settings())
    }
    let names = ["tactus.yaml.before-fresh", "tactus.yaml.before-fresh-2", "tactus.yaml.before-fresh-3"]
    #expect(state.names == ["tactus.yaml"] + names)
    for (index, name) in names.enumerated() {
      let kept = StateFile(path: state.folder + "/tactus/" + name).read().settings
      #expect(kept?.tempo.thousandths == 91_000 + 1_000 * index)
    }
  }
}
