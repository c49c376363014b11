import ArgumentParser
import Files
import Sessions

/// `tactus import`: converts the tempo map of another program to a session document.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Convert another program's tempo map to a session.",
    discussion: """
      Reads standard MIDI files (.mid), sessions of Ardour 7 and later (.ardour), projects of REAPER (.rpp) and klick's tempo maps:
      tempos, meters and markers. Without --output the session is printed. Inexact conversions are reported on standard error.
      """)

  @Argument(help: "The file to read.", completion: .file())
  var file: String

  @Option(name: .shortAndLong, help: "File to write.", completion: Completions.documents)
  var output: String?

  @Flag(
    help: "Keep every beat in time: where a tempo would be rounded, write one for each beat.")
  var exact = false

  func run() throws {
    try CommandError.reported {
      try SessionReading.checkReadable(file)
      if let output { try OutputCheck.check([output], reading: [file]) }
      if let map = try readMap() {
        for remark in map.remarks.prefix(Import.remarkLimit) {
          StandardError.write("note: \(remark)", prefix: "tactus: ")
        }
        let others = map.remarks.count - Import.remarkLimit
        if others > 0 { StandardError.write("note: and \(others) more like these", prefix: "tactus: ") }
        return try write(map.session)
      }
      let map: KlickMap
      do throws(Faults) { map = try KlickMap(path: file) } catch {
        if isSession {
          throw CommandError(
            "\(file) is a session already: play it with tactus play \(file)", code: .usage)
        }
        StandardError.write("\(error)")
        throw ExitCode(1)
      }
      for remark in map.remarks {
        StandardError.write("\(remark.place): note: \(remark.what)")
      }
      try write(map.session)
    }
  }

  /// The most remarks that are shown.
  private static let remarkLimit = 20

  /// The map of a program other than klick; nil if the file has another format.
  private func readMap() throws -> ImportedMap? {
    do throws(ImportError) { return try ImportedMap(path: file, isExact: exact) } catch {
      throw CommandError("\(error)", code: .data)
    }
  }

  private func write(_ session: Session) throws {
    guard let output else { return print(session.yaml, terminator: "") }
    do throws(WriteError) { try WholeFile.write(session.yaml.utf8, to: output) } catch {
      throw CommandError("\(error)", code: .cannotCreate)
    }
  }

  /// Whether the file is a session, or its name is that of one.
  private var isSession: Bool {
    [".yaml", ".yml"].contains { file.lowercased().hasSuffix($0) } || (try? SessionLoader().load(file)) != nil
  }
}
