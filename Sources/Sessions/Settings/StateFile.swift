import Control
import Files
import Glibc
import MusicTime
import Validation

/// The file that keeps the settings between runs.
package struct StateFile: Sendable {
  /// The path of the file. It need not exist.
  package let path: String

  /// The maximum size that is read, in bytes. A typical file has a few hundred bytes; one with all bindings has 150 000, with
  /// all connections another 150 000, and with all presets, each with sounds in folders of the longest names, 1 300 000.
  static let sizeLimit = 4_194_304

  /// The first line announces the last one, so that a truncated file can be distinguished from one that was edited by hand.
  private static let head =
    "# Tactus's settings, written by Tactus. The last line tells that nothing is missing.\n"
  private static let end = "# Nothing is missing."

  package init(path: String) { self.path = path }

  /// The state file of a JACK client name, in the XDG state folder.
  package init(client: String) {
    let safe = String(client.map { $0.isLetter || $0.isNumber || "-_ ".contains($0) ? $0 : "_" })
    path = UserFolder.state.path + "/tactus/\(safe).yaml"
  }

  /// The result of reading the file.
  package enum Outcome: Sendable {
    /// There is no file.
    case none
    /// `advice`: what misspelled keys should be; nil if no key seems misspelled.
    case settings(Settings, advice: String?)
    /// The file is whole, but has values that are not allowed, for example those of a newer version. They are left out of the
    /// settings. `copy` is an unchanged copy of the file; nil if it can't be made now.
    case partial(Settings, reason: String, copy: String?)
    /// The file is damaged and has been moved to `movedTo`; nil if it could not be moved.
    case damaged(reason: String, movedTo: String?)
  }

  /// Reads the settings. A damaged file is renamed, so that nothing is lost or overwritten. A file of which only some values
  /// can be used is copied.
  /// - Thread: any but audio
  package func read() -> Outcome {
    do {
      var faults = SettingsDocument.LeftOutValues()
      let root = try root()
      let settings = SettingsDocument(root, leavingOut: &faults).settings
      let advice = SettingsDocument.advice(on: root)
      guard var reason = faults.description else { return .settings(settings, advice: advice) }
      if let advice { reason += "; \(advice)" }
      return .partial(settings, reason: reason, copy: try? copy(as: "damaged")?.path)
    } catch TextFile.ReadError.system(ENOENT), TextFile.ReadError.system(ENOTDIR) {
      return .none
    } catch TextFile.ReadError.system(let code) {
      // The disk may be missing only temporarily, so don't move the file.
      return .damaged(reason: "can't be read: \(String(cString: strerror(code)))", movedTo: nil)
    } catch {
      let aside = unusedPath("damaged")
      let isMoved = rename(path, aside) == 0
      return .damaged(reason: StateFile.reason(error), movedTo: isMoved ? aside : nil)
    }
  }

  /// Whether a run can use the file, perhaps without some values. Changes nothing.
  /// - Thread: any but audio
  var isUsable: Bool { (try? root()) != nil }

  /// Why the file can't be read; nil if it can, or if there is none. Changes nothing.
  /// - Thread: any but audio
  package var problem: String? {
    do {
      _ = try SettingsDocument(root())
      return nil
    } catch TextFile.ReadError.system(ENOENT), TextFile.ReadError.system(ENOTDIR) {
      return nil
    } catch TextFile.ReadError.system(let code) {
      return "\(path) can't be read: \(String(cString: strerror(code)))"
    } catch {
      return "\(path): \(StateFile.reason(error))"
    }
  }

  /// An unused path to which the current file can be copied; nil if there is no file.
  package var backupPath: String? {
    holdsFile ? unusedPath("before-fresh") : nil
  }

  /// Whether there is a regular file; reading another kind could block.
  private var holdsFile: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private var isEmpty: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size == 0
  }

  /// Writes the settings, completely or not at all. Keys of the replaced file that this version does not know are kept. A
  /// damaged file, or one with values that are not allowed, is copied before it is replaced. A file that the system can't read is
  /// not replaced.
  /// - Parameters:
  ///   - backup: the path to which the replaced file is copied, unless a file exists there; nil for none.
  ///   - version: what may be replaced; nil for anything.
  /// - Returns: the new content.
  /// - Throws: `WriteError` or `YAMLEmitter.EmitError`. The old file is then unchanged.
  /// - Thread: any but audio
  @discardableResult
  package func write(
    _ settings: Settings, keepingAs backup: String? = nil, replacing version: FileVersion? = nil
  ) throws -> [UInt8] {
    let (text, copy) = try text(settings)
    if let backup, holdsFile, !fileExists(backup) {
      try WholeFile.copy(path, to: backup)
    }
    do {
      try PrivateFolder.makeFolder(of: path)
      try WholeFile.write(text.utf8, to: path, replacing: version)
    } catch {
      // Failed saves are repeated, and would leave a copy each.
      copy?.removeIfNew()
      throw error
    }
    return Array(text.utf8)
  }

  /// The new content. Unknown keys are omitted if the file would become too large to be read again.
  /// - Returns: also the copy of the replaced file, if that is damaged or keys or values were omitted.
  private func text(_ settings: Settings) throws -> (text: String, copy: Copy?) {
    let document = SettingsDocument(settings)
    guard holdsFile else { return (StateFile.whole(try document.yaml()), nil) }
    let old: Node
    var faults = SettingsDocument.LeftOutValues()
    do {
      old = try root()
      _ = SettingsDocument(old, leavingOut: &faults)
    } catch TextFile.ReadError.system(let code) {
      // It may contain settings, and become readable again.
      let reason = String(cString: strerror(code))
      throw WriteError(
        path: path, reason: "its settings can't be read, and are not replaced: \(reason)")
    } catch {
      return (StateFile.whole(try document.yaml()), try copy(as: "damaged"))
    }
    let text = StateFile.whole(try document.yaml(replacing: old))
    guard text.utf8.count > StateFile.sizeLimit else {
      return (text, faults.first == nil ? nil : try copy(as: "damaged"))
    }
    return (StateFile.whole(try document.yaml()), try copy(as: "too-large"))
  }

  /// A copy of the file.
  struct Copy {
    let path: String
    /// Whether no earlier copy had the same content.
    let isNew: Bool

    /// Failed saves are repeated, and would leave a copy each.
    func removeIfNew() { if isNew { unlink(path) } }
  }

  /// Copies the file to an unused path, unless an earlier copy has the same content.
  /// - Returns: nil if there is no file, or if it is empty.
  func copy(as suffix: String) throws(WriteError) -> Copy? {
    guard holdsFile, !isEmpty else { return nil }
    if let content {
      let earlier = remains { !$0.hasSuffix(".new") }
      if let copy = earlier.first(where: { StateFile(path: $0).content == content }) {
        return Copy(path: copy, isNew: false)
      }
    }
    let copy = unusedPath(suffix)
    try WholeFile.copy(path, to: copy)
    return Copy(path: copy, isNew: true)
  }

  /// Removes the temporary files of runs that were killed during a save. Only the owner of the file may call it.
  func removeRemains() {
    for temporary in remains(where: { $0.hasSuffix(".new") }) { unlink(temporary) }
  }

  /// The paths of the files beside this one whose names begin with its name and a dot.
  private func remains(where isWanted: (String) -> Bool) -> [String] {
    let folder = folder(of: path)
    let name = path.dropFirst(folder.count + 1)
    return names(inFolder: folder).filter { $0.hasPrefix(name + ".") && isWanted($0) }.map {
      "\(folder)/\($0)"
    }
  }

  /// The file's content; nil if there is no regular file, or it is larger than a state file.
  var content: [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= StateFile.sizeLimit
    else { return nil }
    return Files.content(of: path)
  }

  private static func whole(_ yaml: String) -> String { head + yaml + end + "\n" }

  /// Whether a part of a text that Tactus has written is missing. Unknown, and false, for other texts and those of older
  /// versions.
  private static func isCutOff(_ text: String) -> Bool {
    head.hasPrefix(text) || text.hasPrefix(head) && !text.contains("\n" + end)
  }

  /// The settings on disk, without values that are not allowed. Changes nothing.
  /// - Throws: if there is no file, or it can't be read.
  package var settings: Settings {
    get throws {
      var faults = SettingsDocument.LeftOutValues()
      return SettingsDocument(try root(), leavingOut: &faults).settings
    }
  }

  private func root() throws -> Node {
    let text = try TextFile(reading: path, limit: StateFile.sizeLimit).text
    let log = FaultLog(file: path)
    guard !StateFile.isCutOff(text) else {
      throw Fault(
        file: path, line: text.utf8.count { $0 == 0x0A } + 1, column: 1, what: "the file is cut off",
        allowed: "complete, with the last line that the first one promises")
    }
    guard let root = YAMLText.compose(text, log, expecting: "settings") else { throw log.sorted[0] }
    guard case .mapping = root else {
      throw InvalidValue("the file", root.shown, allowed: "keys and values")
    }
    return root
  }

  private func unusedPath(_ suffix: String) -> String {
    var (path, number) = ("\(path).\(suffix)", 1)
    while fileExists(path) {
      number += 1
      path = "\(self.path).\(suffix)-\(number)"
    }
    return path
  }

  /// An error in one line.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case TextFile.ReadError.content(let fault): reason(fault)
    case let fault as Fault:
      "line \(fault.line), column \(fault.column): \(fault.what): must be \(fault.allowed)"
    case let refusal as TextFile.ReadError:
      refusal.ofFile.map { "\($0.what): must be \($0.allowed)" } ?? "can't be read"
    default: "\(error)"
    }
  }
}
