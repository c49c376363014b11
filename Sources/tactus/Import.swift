import ArgumentParser
import Files
import Foundation
import Sessions

/// `tactus import`: a klick tempo map as a session document.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turn a klick tempo map into a session.",
    discussion:
      "Without --output it is printed. What could not be taken over exactly is said on standard error.")

  @Argument(help: "The tempo map.", completion: .file())
  var file: String

  @Option(name: .shortAndLong, help: "File to write.", completion: .file())
  var output: String?

  func run() throws {
    try Failure.reported {
      try SessionReading.checkReadable(file)
      let map: KlickMap
      do throws(Faults) { map = try KlickMap(path: file) } catch {
        if isSession {
          throw Failure(
            "\(file) is a session already: it plays as it is, with tactus play \(file)", code: .usage)
        }
        for fault in error.faults { FileHandle.standardError.write(Data("\(fault)\n".utf8)) }
        throw ExitCode(1)
      }
      for remark in map.remarks {
        let note = "\(remark.file):\(remark.line):\(remark.column): note: \(remark.what)\n"
        FileHandle.standardError.write(Data(note.utf8))
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

  /// Whether what is no tempo map is meant for a session.
  private var isSession: Bool {
    [".yaml", ".yml"].contains { file.lowercased().hasSuffix($0) } || (try? SessionLoader().load(file)) != nil
  }
}
