import ArgumentParser
import Files
import Sessions

/// `tactus import`: converts a klick tempo map to a session document.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Convert a klick tempo map to a session.",
    discussion:
      "Without --output the session is printed. Inexact conversions are reported on standard error."
  )

  @Argument(help: "The tempo map.", completion: Completions.documents)
  var file: String

  @Option(name: .shortAndLong, help: "File to write.", completion: Completions.documents)
  var output: String?

  func run() throws {
    try Failure.reported {
      try SessionReading.checkReadable(file)
      let map: KlickMap
      do throws(Faults) { map = try KlickMap(path: file) } catch {
        if isSession {
          throw Failure(
            "\(file) is a session already: play it with tactus play \(file)", code: .usage)
        }
        for fault in error.faults { StandardError.write("\(fault)") }
        throw ExitCode(1)
      }
      for remark in map.remarks {
        StandardError.write("\(remark.place): note: \(remark.what)")
      }
      guard let output else {
        print(map.session.yaml, terminator: "")
        return
      }
      do throws(WriteError) { try WholeFile.write(map.session.yaml.utf8, to: output) } catch {
        throw Failure("\(error)", code: .cannotCreate)
      }
    }
  }

  /// Whether the input that is not a tempo map looks like a session.
  private var isSession: Bool {
    [".yaml", ".yml"].contains { file.lowercased().hasSuffix($0) } || (try? SessionLoader().load(file)) != nil
  }
}
