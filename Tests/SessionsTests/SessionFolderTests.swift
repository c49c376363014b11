import Control
import Foundation
import MusicTime
import Sessions
import Testing
import Validation

@Suite struct SessionFolderTests {
  @Test func namesInsideTheFolderAreFound() throws {
    let folder = try DocumentFolder()
    try folder.write("in/a.yaml", "")
    try folder.write("in/sub/b.yaml", "")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/in/link.yaml", withDestinationPath: folder.path + "/in/a.yaml")
    let sessions = SessionFolder(path: folder.path + "/in")
    #expect(try sessions.resolve("a.yaml").hasSuffix("/in/a.yaml"))
    #expect(try sessions.resolve("sub/b.yaml").hasSuffix("/in/sub/b.yaml"))
    #expect(try sessions.resolve("link.yaml").hasSuffix("/in/a.yaml"))
  }

  @Test(
    "Names that lead out of the folder are refused",
    arguments: [
      "", "/etc/passwd", "../out.yaml", "sub/../../out.yaml", "..", "link.yaml", "door/out.yaml", "none.yaml",
      "a\0b",
      "../in-between/x.yaml", ".",
    ])
  func outside(name: String) throws {
    let folder = try DocumentFolder()
    try folder.write("out.yaml", "")
    try folder.write("in/sub/b.yaml", "")
    try folder.write("in-between/x.yaml", "")
    let links = [("link.yaml", "/out.yaml"), ("door", ""), ("loop", "/in/loop")]
    for (link, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/in/" + link, withDestinationPath: folder.path + target)
    }
    #expect(throws: InvalidValue.self) { try SessionFolder(path: folder.path + "/in").resolve(name) }
  }

  @Test func `A klick map is named in the folder, or whole by either of the folder's paths`() throws {
    let folder = try DocumentFolder()
    try folder.write("real/a.klick", "")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: folder.path + "/real")
    let sessions = SessionFolder(path: folder.path + "/link")
    let map = try sessions.resolve("a.klick")
    for name in ["a.klick", folder.path + "/link/a.klick", map] {
      #expect(try sessions.resolvePath(name) == map)
    }
  }

  @Test(arguments: ["in/", "in/../out.klick", "in/none.klick", "out.klick", "in-between/x.klick", ""])
  func `A whole path that doesn't lead to a map in the folder is refused`(path: String) throws {
    let folder = try DocumentFolder()
    try folder.write("in/a.klick", "")
    try folder.write("out.klick", "")
    try folder.write("in-between/x.klick", "")
    let sessions = SessionFolder(path: folder.path + "/in")
    #expect(throws: InvalidValue.self) { try sessions.resolvePath(folder.path + "/" + path) }
  }

  @Test func `Who names a map elsewhere is told of the session folder, and not where that is`() {
    #expect {
      try SessionFolder(path: "/none").resolvePath("/tmp/a.klick")
    } throws: {
      "\($0)".contains("in the session folder") && !"\($0)".contains("/none")
    }
  }
}
