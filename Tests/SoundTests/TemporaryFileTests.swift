import Foundation
import Testing

@testable import Sound

@Suite(.serialized) struct TemporaryFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func put(_ text: String, in file: TemporaryFile) {
    #expect(write(file.descriptor, text, text.utf8.count) == text.utf8.count)
  }

  @Test("A committed file takes the destination's place, with or without a name", arguments: [true, false])
  func commit(nameless: Bool) throws {
    try folder.write("a.wav", bytes: Array("old".utf8))
    let file = try TemporaryFile(for: folder.file("a.wav"), nameless: nameless)
    put("new", in: file)
    #expect(try String(contentsOfFile: folder.file("a.wav"), encoding: .utf8) == "old")
    try file.commit()
    #expect(try String(contentsOfFile: folder.file("a.wav"), encoding: .utf8) == "new")
    #expect(try folder.contents == ["a.wav"])
  }

  @Test("A dropped file leaves nothing, with or without a name", arguments: [true, false])
  func dropped(nameless: Bool) throws {
    do {
      let file = try TemporaryFile(for: folder.file("a.wav"), nameless: nameless)
      put("half", in: file)
      #expect(try folder.contents.allSatisfy { $0.hasPrefix(".tactus-") })
    }
    #expect(try folder.contents == [])
  }

  @Test("A file that can't take its place leaves nothing", arguments: [true, false])
  func refused(nameless: Bool) throws {
    do {
      let file = try TemporaryFile(for: folder.file("a.wav"), nameless: nameless)
      // A folder has come to be there meanwhile.
      try FileManager.default.createDirectory(
        atPath: folder.file("a.wav"), withIntermediateDirectories: false)
      #expect(throws: SoundError.self) { try file.commit() }
    }
    #expect(try folder.contents == ["a.wav"])
  }

  @Test("A link stays, and the file it points to is replaced")
  func link() throws {
    try folder.write("real.wav", bytes: Array("old".utf8))
    #expect(symlink("real.wav", folder.file("link.wav")) == 0)
    let file = try TemporaryFile(for: folder.file("link.wav"))
    put("new", in: file)
    try file.commit()
    #expect(try String(contentsOfFile: folder.file("real.wav"), encoding: .utf8) == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.wav")) == "real.wav")
  }

  @Test("A link to a file that does not exist stays, and that file is made", arguments: [true, false])
  func danglingLink(nameless: Bool) throws {
    #expect(symlink("real.wav", folder.file("link.wav")) == 0)
    let file = try TemporaryFile(for: folder.file("link.wav"), nameless: nameless)
    put("new", in: file)
    try file.commit()
    #expect(try String(contentsOfFile: folder.file("real.wav"), encoding: .utf8) == "new")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.wav")) == "real.wav")
  }

  @Test("A destination that is no regular file is refused")
  func notAFile() throws {
    for path in [folder.path, "/dev/null"] {
      #expect(throws: SoundError(path: path, .notAFile)) { try TemporaryFile(for: path) }
    }
  }

  @Test("A folder that does not exist is refused, and the reason is the system's")
  func noFolder() {
    let path = folder.file("none/a.wav")
    #expect(throws: SoundError(path: path, .unwritable(reason: "No such file or directory"))) {
      try TemporaryFile(for: path)
    }
  }

  @Test("The new file has the permissions that any new file has", arguments: [true, false])
  func permissions(nameless: Bool) throws {
    let file = try TemporaryFile(for: folder.file("a.wav"), nameless: nameless)
    try file.commit()
    try folder.write("other", bytes: [])
    let modes = try ["a.wav", "other"].map { name in
      try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }
    #expect(modes[0] != nil && modes[0] == modes[1])
  }
}
