import ArgumentParser
import Control
import MusicTime
import Sessions
import Sound
import Validation

/// `tactus check`: reports faults in session documents.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report faults in sessions, setlists and klick maps.",
    discussion: "Exit code 0 if there are none, else 1.")

  @Argument(help: "The documents.", completion: Completions.documents)
  var files: [String]

  func run() throws {
    let speech = Speech()
    let loader = SessionLoader(
      sounds: SoundSource.names, voices: { speech.knows(voice: $0) })
    var isGood = true
    for text in files {
      let file = try SessionReading.found(text)
      do { try SessionReading.checkReadable(file) } catch {
        isGood = false
        print(error)
        continue
      }
      do throws(Faults) {
        let setlist = try loader.load(file)
        print(printable("\(file): \(setlist.summary)", limit: 8_192))
        for note in setlist.colourNotes { print(printable("\(file): \(note)", limit: 8_192)) }
      } catch {
        isGood = false
        for fault in error.faults { print(fault) }
      }
    }
    if !isGood { throw ExitCode(1) }
  }
}

extension Setlist {
  /// Notes about colours that displays may not know. The song can be played, so these are not faults.
  fileprivate var colourNotes: [String] {
    Set(songs.flatMap { $0.song.plans.map(\.colour) }).sorted().compactMap(ColourNames.note)
  }

  /// For example `Warm-up, 12 sections, 8:30`.
  fileprivate var summary: String {
    let sections = songs.reduce(0) { sum, entry in
      sum + Set(entry.song.plans.filter { !$0.isCountIn }.map(\.source)).count
    }
    let parts = [
      title.isEmpty ? "without a title" : title, songs.count > 1 ? "\(songs.count) songs" : nil,
      sections == 1 ? "1 section" : "\(sections) sections", lengthText(seconds, atLeast: leastSeconds),
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

/// A length such as `2:03`, or `at least 2:03` with open sections, or `without end`.
/// - Parameters:
///   - seconds: nil if the length is not known.
///   - least: the seconds of the sections that are not open; nil if the song has no end.
func lengthText(_ seconds: Double?, atLeast least: Double?) -> String {
  if let seconds { return clockText(seconds) }
  guard let least else { return "without end" }
  return least > 0 ? "at least \(clockText(least))" : "until you go on"
}

/// A time in seconds as `1:02:03` or `2:03.5`.
func clockText(_ seconds: Double) -> String {
  let tenths = Int((seconds * 10).rounded())
  let (minutes, rest) = (tenths / 600, tenths % 600)
  let fraction = rest % 10 == 0 ? "" : ".\(rest % 10)"
  let tail = "\(rest / 10 < 10 ? "0" : "")\(rest / 10)\(fraction)"
  guard minutes >= 60 else { return "\(minutes):\(tail)" }
  return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):\(tail)"
}

/// Prints the JSON Schema of session documents.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of session documents, for editors that complete and check them.")

  func run() throws { print(try DocumentSchema.json(sounds: SoundSource.names)) }
}
