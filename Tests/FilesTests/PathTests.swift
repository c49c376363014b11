import Files
import Foundation
import Testing

@Suite struct PathTests {
  @Test(
    "An absolute path is what Foundation makes of it",
    arguments: [
      "/a/b", "/a//b/", "/a/./b", "/a/../b", "/../a", "/", "a", "./a", "../a", "a/..", "/a/b/../../..",
      "ä/ö",
    ])
  func absolute(path: String) {
    #expect(absolutePath(path) == URL(fileURLWithPath: path).standardizedFileURL.path)
  }

  @Test func onlyAShellKnowsATilde() {
    #expect(absolutePath("/~/a") == "/~/a" && absolutePath("~").hasSuffix("/~"))
  }

  @Test(
    "A path's folder is what stands before its last slash",
    arguments: [("/a/b", "/a"), ("/a", "/"), ("a", ""), ("a/b", "a"), ("/", "/")])
  func folders(path: String, expected: String) {
    #expect(folder(of: path) == expected)
  }

  @Test func aFolderNamesItsFiles() throws {
    let path = NSTemporaryDirectory() + "/tactus-paths-\(UUID())"
    try FileManager.default.createDirectory(atPath: path + "/inner", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let long = String(repeating: "n", count: 255)
    for name in [".hidden", "ä", long] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }
    try FileManager.default.createSymbolicLink(atPath: path + "/dangling", withDestinationPath: "nowhere")
    #expect(Set(names(inFolder: path)) == [".hidden", "inner", "ä", long, "dangling"])
    #expect(names(inFolder: path + "/nowhere").isEmpty)
    #expect(isFolder(path + "/inner") && !isFolder(path + "/ä") && !isFolder(path + "/dangling"))
    #expect(fileExists(path + "/ä") && !fileExists(path + "/dangling"))
    #expect(text(of: path + "/ä") == "x" && text(of: path + "/inner") == nil)
  }

  @Test func `A file is recognised by every path, and no other file is taken for it`() throws {
    let path = NSTemporaryDirectory() + "/tactus-identity-\(UUID())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    for name in ["one", "two"] { try Data().write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
    try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "one")
    try FileManager.default.linkItem(atPath: path + "/one", toPath: path + "/hard")
    let one = try #require(FileIdentity(path + "/one"))
    for name in ["./one", "link", "hard"] { #expect(FileIdentity("\(path)/\(name)") == one) }
    #expect(FileIdentity(path + "/two") != one)
    #expect(FileIdentity(path + "/none") == nil)
  }

  @Test func whatTheKernelMakesOnReadingIsReadToItsEnd() throws {
    #expect(try #require(text(of: "/proc/self/status")).contains("VmRSS:"))
  }
}
