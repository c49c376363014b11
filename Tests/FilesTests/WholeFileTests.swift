import Glibc
import Testing

@testable import Files

@Suite struct WholeFileTests {
  /// A new folder, which the test removes.
  private func makeFolder() -> String {
    let folder = "/tmp/tactus-files-\(UInt64.random(in: 0 ... .max))"
    #expect(mkdir(folder, 0o700) == 0)
    return folder
  }

  @Test func aPlantedLinkOrFileIsNeitherFollowedNorReplaced() throws {
    let folder = makeFolder()
    let (victim, planted, file) = (folder + "/victim", folder + "/planted", folder + "/file")
    defer { for path in [victim, planted, file, folder] { remove(path) } }
    try WholeFile.write(Array("mine".utf8), to: victim)
    for isLink in [true, false] {
      if isLink {
        #expect(symlink(victim, planted) == 0)
      } else {
        try WholeFile.write(Array("mine".utf8), to: planted)
      }
      #expect(throws: WriteError.self) {
        try WholeFile.replace(file, at: file, with: Array("new".utf8), by: planted)
      }
      #expect(content(of: victim) == Array("mine".utf8))
      #expect(content(of: file) == nil)
      #expect(isLink || content(of: planted) == Array("mine".utf8))
      unlink(planted)
    }
  }

  @Test func `A replaced file keeps its mode, and a changed one stays`() throws {
    let folder = makeFolder()
    let file = folder + "/file"
    defer { for path in [file, folder] { remove(path) } }
    try WholeFile.write(Array("old".utf8), to: file)
    for mode in [0o600, 0o664, 0o640] as [mode_t] {
      #expect(chmod(file, mode) == 0)
      try WholeFile.write(Array("new".utf8), to: file)
      var status = stat()
      #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == mode)
    }
    let copy = folder + "/copy"
    try WholeFile.copy(file, to: copy)
    var status = stat()
    #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o640)
    unlink(copy)
    // Only the superuser can give a file to any group.
    if geteuid() == 0, chown(file, .max, 4_321) == 0 {
      try WholeFile.write(Array("new".utf8), to: file)
      #expect(stat(file, &status) == 0 && status.st_gid == 4_321 && status.st_mode & 0o777 == 0o640)
    }
    let version = FileVersion(of: file)
    try WholeFile.write(Array("edited".utf8), to: file)
    #expect(throws: WriteError.self) { try WholeFile.write(Array("ours".utf8), to: file, replacing: version) }
    #expect(content(of: file) == Array("edited".utf8))
    try WholeFile.write(Array("ours".utf8), to: file, replacing: FileVersion(of: file))
    #expect(content(of: file) == Array("ours".utf8))
    // A file that has appeared is not replaced either.
    let none = FileVersion(of: folder + "/other")
    #expect(throws: WriteError.self) { try WholeFile.write(Array("new".utf8), to: file, replacing: none) }
    #expect(content(of: file) == Array("ours".utf8))
    #expect(names(inFolder: folder) == ["file"])
  }

  @Test func noTwoNamesAreTheSame() {
    let names = Set((0..<1_000).map { _ in WholeFile.temporaryName(beside: "/a/b") })
    #expect(names.count == 1_000)
    #expect(names.allSatisfy { $0.hasPrefix("/a/b.") && $0.hasSuffix(".new") })
  }
}
