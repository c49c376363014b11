import ArgumentParser
import Control
import Sessions
import Validation

/// `tactus list`: the documents of the session folder, and the presets.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List songs, setlists and practice plans of the session folder, and presets.",
    discussion: """
      `tactus play NAME` plays a document by its name or title, `tactus play --preset NAME` a preset. The session folder is
      $XDG_DATA_HOME/tactus/sessions, usually ~/.local/share/tactus/sessions.
      """)

  @Flag(help: "Print a line of JSON for each.") var json = false
  @Option(help: "The JACK client whose presets are listed.") var name = "tactus"

  func run() throws {
    let documents = SessionReading.library.documents()
    let state = StateFile(client: name)
    if let problem = state.problem { StandardError.write("Error: \(problem)") }
    let presets = ListCommand.presets(client: name)
    guard !json else {
      for document in documents { printLine(Row(document)) }
      for (index, preset) in presets.enumerated() { printLine(Row(preset, number: index + 1)) }
      return
    }
    if documents.isEmpty { print("no documents in \(printable(SessionReading.folder, limit: 4_096))") }
    for document in documents { print(printable(ListCommand.line(document), limit: 8_192)) }
    if presets.isEmpty { print("no presets") }
    for (index, preset) in presets.enumerated() {
      print("preset \(index + 1): \(preset.name), \(preset.tempo) in \(preset.meter)")
    }
  }

  /// The presets of the state file; none if it can't be read.
  static func presets(client: String) -> [Preset] {
    (try? StateFile(client: client).settings)?.presets.all ?? []
  }

  private static func line(_ document: DocumentSummary) -> String {
    guard let content = document.content else {
      return document.name
        + (document.isFaulty ? ": can't be played; tactus check says why" : ": not read")
    }
    let parts = [
      content.title, content.songs > 1 ? "\(content.songs) songs" : nil,
      lengthText(content.seconds, atLeast: content.leastSeconds), "\(content.tempo) in \(content.meter)",
    ]
    return "\(document.name): " + parts.compactMap { $0 }.joined(separator: ", ")
  }

  private func printLine(_ row: Row) { if let line = jsonLine(row) { print(line) } }
}

/// A line of JSON.
private struct Row: Encodable {
  let kind: String
  let name: String
  var number: Int?
  var path: String?
  var title: String?
  var songs: Int?
  /// nil if it has no end.
  var seconds: Double?
  var tempo: Double?
  var meter: String?
  var isFaulty: Bool?

  init(_ document: DocumentSummary) {
    (kind, name) = ("document", document.name)
    path = "\(SessionReading.folder)/\(document.name)"
    if document.isFaulty { isFaulty = true }
    guard let content = document.content else { return }
    (title, songs, seconds) = (content.title, content.songs, content.seconds)
    (tempo, meter) = (content.tempo.beatsPerMinute, "\(content.meter)")
  }

  init(_ preset: Preset, number: Int) {
    (kind, name, self.number) = ("preset", preset.name, number)
    (tempo, meter) = (preset.tempo.beatsPerMinute, "\(preset.meter)")
  }
}
