import Control
import Files
import Foundation
import MusicTime
import Testing

@testable import Sessions

/// Several programs with one state file.
@Suite struct OwnedStateFileTests {
  private let folder = NSTemporaryDirectory() + "tactus-owned-\(UUID().uuidString)"
  private var file: StateFile { StateFile(path: folder + "/tactus/tactus.yaml") }
  private var names: [String] { Files.names(inFolder: folder + "/tactus").sorted() }

  private func settings(_ tempo: Double) throws -> Settings {
    var settings = Settings()
    try settings.set(.tempo(try Tempo(tempo)))
    return settings
  }

  @Test func `A second program saves nothing, and loses nothing of the first, until the first has ended`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = OwnedStateFile(file)
    try first.write(try settings(90))
    first.release()
    // Within a process runs share the lock, so the other program's lock is taken directly.
    var other: FileLock? = try FileLock(on: file.path)
    let second = OwnedStateFile(file)
    #expect(second.isOwnedByAnother)
    #expect(second.file.read().settings?.tempo == (try Tempo(90)))
    #expect(throws: WriteError.self) { try second.write(try settings(200)) }
    try file.write(try settings(100))
    #expect(file.read().settings?.tempo == (try Tempo(100)))
    #expect(other != nil)
    other = nil
    // What the other program has saved since is kept.
    let copy = try #require(second.write(try settings(200)).copy)
    #expect(StateFile(path: copy).read().settings?.tempo == (try Tempo(100)))
    #expect(file.read().settings?.tempo == (try Tempo(200)))
    #expect(try second.write(try settings(210)) == .none)
  }

  @Test func `An edit by hand while Tactus runs is kept as a copy`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let owned = OwnedStateFile(file)
    try owned.write(try settings(90))
    let text = try String(contentsOfFile: file.path, encoding: .utf8)
    try text.replacing("tempo: 90", with: "tempo: 91").write(
      toFile: file.path, atomically: true, encoding: .utf8)
    let copy = try #require(owned.write(try settings(92)).copy)
    #expect(StateFile(path: copy).read().settings?.tempo == (try Tempo(91)))
    // Saves without an edit leave no copy.
    for tempo in [93, 94, 95, 96.5, 97] as [Double] { #expect(try owned.write(try settings(tempo)) == .none) }
    #expect(names == ["tactus.yaml", "tactus.yaml.changed", "tactus.yaml.lock"])
  }

  @Test func `A file that another program changes during a save is not replaced`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let none = FileVersion(of: file.path)
    try file.write(try settings(90))
    #expect(throws: WriteError.self) { try file.write(try settings(89), replacing: none) }
    #expect(file.read().settings?.tempo == (try Tempo(90)))
    let version = FileVersion(of: file.path)
    try file.write(try settings(91.5))
    let failure = #expect(throws: WriteError.self) { try file.write(try settings(92), replacing: version) }
    #expect(failure?.isOvertaken == true)
    #expect(file.read().settings?.tempo == (try Tempo(91.5)))
    #expect(names == ["tactus.yaml"])
  }

  @Test func `An edit with an invalid value stays if no setting changes`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let owned = OwnedStateFile(file)
    try owned.write(try settings(90))
    let text = try String(contentsOfFile: file.path, encoding: .utf8)
      .replacing("tempo: 90", with: "tempo: 144").replacing("swing: 0", with: "swing: 7")
    #expect(text.contains("swing: 7"))
    try text.write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(try owned.write(try settings(90)) == .left)
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
    guard case .partial(let settings, _, _) = file.read() else {
      Issue.record("the next run uses the rest")
      return
    }
    #expect(settings.tempo == (try Tempo(144)))
  }

  @Test func `A file that appears after the start is kept as a copy`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let owned = OwnedStateFile(file)
    try file.write(try settings(91))
    let copy = try #require(owned.write(try settings(92)).copy)
    #expect(StateFile(path: copy).read().settings?.tempo == (try Tempo(91)))
  }

  @Test func `An edit stays while no setting changes here, and is kept as a copy once one does`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try file.write(try settings(90))
    let owned = OwnedStateFile(file)
    owned.noteUse(of: try settings(90))
    try file.write(try settings(91))
    #expect(try owned.write(try settings(90)) == .left)
    // Told once.
    #expect(try owned.write(try settings(90)) == .none)
    #expect(file.read().settings?.tempo == (try Tempo(91)))
    let copy = try #require(owned.write(try settings(92)).copy)
    #expect(StateFile(path: copy).read().settings?.tempo == (try Tempo(91)))
    #expect(file.read().settings?.tempo == (try Tempo(92)))
    // The same edit again needs no second copy.
    try file.write(try settings(91))
    #expect(try owned.write(try settings(93)) == .replaced(copy: copy))
    // A file that is emptied or deleted contains nothing to keep.
    try WholeFile.write([], to: file.path)
    #expect(try owned.write(try settings(93)) == .none)
    #expect(file.read().settings?.tempo == (try Tempo(93)))
    unlink(file.path)
    #expect(try owned.write(try settings(93)) == .none)
    #expect(file.read().settings?.tempo == (try Tempo(93)))
    // The next run could not read this edit.
    try WholeFile.write(Array("tempo: [".utf8), to: file.path)
    #expect(try owned.write(try settings(93)).copy?.hasSuffix(".changed-2") == true)
    #expect(file.read().settings?.tempo == (try Tempo(93)))
  }

  @Test func `What killed runs have left is removed`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try file.write(try settings(90))
    for name in ["tactus.yaml.x1.new", "tactus.yaml.zz.new", "other.yaml.x.new", "tactus.yaml.damaged"] {
      try "x".write(toFile: folder + "/tactus/" + name, atomically: false, encoding: .utf8)
    }
    _ = OwnedStateFile(file)
    #expect(names == ["other.yaml.x.new", "tactus.yaml", "tactus.yaml.damaged", "tactus.yaml.lock"])
  }
}

extension OwnedStateFile.Edit {
  fileprivate var copy: String? { if case .replaced(let copy) = self { copy } else { nil } }
}
