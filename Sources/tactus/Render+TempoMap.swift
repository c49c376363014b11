import ArgumentParser
import Control
import Engine
import Files
import MusicTime
import Sessions

/// `tactus render -o map.mid`.
extension Render {
  /// Whether the output is a tempo map rather than sound.
  var isTempoMap: Bool { output.lowercased().hasSuffix(".mid") }

  /// Checks the options for a tempo map.
  /// - Throws: `ValidationError` if an option concerns the sound.
  func validateTempoMap() throws {
    let isSound =
      sampleRate != nil || bitDepth != nil || stems || timeReference != nil || music.isVolume
    guard !isSound else {
      throw ValidationError(
        "a .mid file has no sound: leave out --sample-rate, --bit-depth, --stems, --time-reference and volumes"
      )
    }
  }

  /// Writes the tempo maps of the requested songs, or of the metronome, if all of them can be written.
  /// - Throws: `CommandError`.
  func writeTempoMap() throws {
    let maps = try tempoMaps().map { song, path in
      do {
        let map = try TempoMapFile(
          duration.map { try song.lasting(milliseconds: Int(($0 * 1_000).rounded())) } ?? song)
        return (map: map, path: path)
      } catch {
        let hint =
          duration == nil && song.plans.contains(where: \.isOpen) ? ": set the length with --duration" : ""
        throw CommandError("\(file ?? output): \(error)\(hint)", code: .data)
      }
    }
    for (map, path) in maps {
      do throws(WriteError) { try WholeFile.write(map.bytes, to: path) } catch {
        throw CommandError("\(error)", code: .cannotCreate)
      }
    }
  }

  /// The requested songs of a document, or the metronome, each with the file to write.
  private func tempoMaps() throws -> [(song: SongPlan, path: String)] {
    if let file { return try readPieces(file).map { ($0.plan, $0.path) } }
    var settings = Settings()
    do { try music.apply(to: &settings) } catch { throw CommandError("\(error)", code: .usage) }
    return [
      (SongPlan(title: "", plans: [SectionPlan(settings, try settings.layout, bars: music.bars)]), output)
    ]
  }
}
