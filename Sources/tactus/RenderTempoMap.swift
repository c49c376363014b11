import ArgumentParser
import Files
import MusicTime
import Sessions

/// `tactus render SESSION -o map.mid`.
extension Render {
  /// Whether a tempo map is asked for in place of sound.
  var isTempoMap: Bool { output.lowercased().hasSuffix(".mid") }

  /// - Throws: `ValidationError` where there is no session, or where something is said of its sound.
  func validateTempoMap() throws {
    guard file != nil else {
      throw ValidationError(
        "a .mid file is the tempo map of a session: say which, as in render SONG.yaml -o map.mid")
    }
    let isSound = sampleRate != nil || bitDepth != nil || stems || duration != nil || music.isVolume
    guard !isSound else {
      throw ValidationError(
        "a .mid file has no sound: leave out --sample-rate, --bit-depth, --stems, --duration and volumes")
    }
  }

  func writeTempoMap() throws {
    guard let file else { return }
    let song = try readSong(file)
    let map: TempoMapFile
    do { map = try TempoMapFile(song) } catch { throw Failure("\(file): \(error)", code: .data) }
    do throws(WriteError) { try WholeFile.write(map.bytes, to: output) } catch {
      throw Failure("\(error)", code: .cannotCreate)
    }
  }
}
