import ArgumentParser
import Files
import MusicTime
import Sessions

/// `tactus render SESSION -o map.mid`.
extension Render {
  /// Whether the output is a tempo map rather than sound.
  var isTempoMap: Bool { output.lowercased().hasSuffix(".mid") }

  /// - Throws: `ValidationError` if there is no session, or an option concerns the sound.
  func validateTempoMap() throws {
    guard file != nil else {
      throw ValidationError(
        "a .mid file is the tempo map of a session: name the session, as in render SONG.yaml -o map.mid")
    }
    let isSound =
      sampleRate != nil || bitDepth != nil || stems || duration != nil || timeReference != nil
      || music.isVolume
    guard !isSound else {
      throw ValidationError(
        "a .mid file has no sound: leave out --sample-rate, --bit-depth, --stems, --duration, --time-reference and volumes"
      )
    }
  }

  func writeTempoMap() throws {
    guard let file else { return }
    for (song, path) in try readSongs(file) {
      let map: TempoMapFile
      do { map = try TempoMapFile(song) } catch { throw Failure("\(file): \(error)", code: .data) }
      do throws(WriteError) { try WholeFile.write(map.bytes, to: path) } catch {
        throw Failure("\(error)", code: .cannotCreate)
      }
    }
  }
}
