import ArgumentParser
import Control
import Engine
import Foundation
import MusicTime
import Sound

/// The options that say what is played; `play` and `render` share them.
struct MusicalOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: "Beats a minute, 1…999.999, to a thousandth.",
    transform: { try Tempo(text: $0) })
  var tempo: Tempo?

  @Option(
    parsing: .unconditional, help: "Time signature, 1…99/1…99, as in 7/8.", transform: { try Meter(text: $0) }
  )
  var meter: Meter?

  @Option(
    parsing: .unconditional,
    help: "The note that the tempo counts, as 1/4, 1/4. (dotted), 3/8. Default: the meter's own.",
    transform: { try BeatUnit(text: $0) })
  var beatUnit: BeatUnit?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A division of the beat, 2…9, and its volume, as 3:0.5. Repeatable.", valueName: "N[:volume]"),
    transform: SubdivisionOption.init)
  var subdivision: [SubdivisionOption] = []

  @Option(
    help: "One letter a beat: X accent, x beat, o soft, . silent.", transform: { try AccentPattern(text: $0) }
  )
  var accents: AccentPattern?

  @Option(
    parsing: .unconditional,
    help: "Groups of beats, each with an accent, as 3+2+2; --accents go before them.",
    transform: { try Groups(text: $0) })
  var groups: Groups?

  @Option(
    parsing: .unconditional,
    help: "Delay of every second part of the subdivisions 2, 4, 8: 0 straight, 0.667 triplet, 1 dotted.",
    transform: { try Swing(readNumber($0, "swing", "0…1")) })
  var swing: Swing?

  @Option(
    parsing: .unconditional,
    help: "Bars that sound and bars that are silent, in turn, as 4+4; 0+0 for none.",
    transform: { try Gap(text: $0) })
  var gap: Gap?

  @Option(
    help:
      "Sound set: \(BuiltInSound.allCases.map(\.name).joined(separator: ", ")), a folder, or two files as /accent.wav,/beat.wav.",
    transform: { try SoundSource($0) })
  var sound: SoundSource?

  @Option(parsing: .unconditional, help: "Volume of the mix, 0…1.", transform: readVolume)
  var volume: Volume?

  @Option(parsing: .unconditional, help: "Volume of the accents, 0…1.", transform: readVolume)
  var accentVolume: Volume?

  @Option(parsing: .unconditional, help: "Volume of the beats, 0…1.", transform: readVolume)
  var beatVolume: Volume?

  @Option(parsing: .unconditional, help: "Volume of the subdivisions, 0…1.", transform: readVolume)
  var subdivisionVolume: Volume?

  @Option(parsing: .unconditional, help: "Bars to play.", transform: readBars)
  var bars: Int?

  /// Whether something is said that a session's document says.
  var isMusic: Bool {
    tempo != nil || meter != nil || beatUnit != nil || !subdivision.isEmpty || accents != nil || groups != nil
      || swing != nil || gap != nil || sound != nil || bars != nil
  }

  /// Whether something is said of how loud it is.
  var isVolume: Bool {
    volume != nil || accentVolume != nil || beatVolume != nil || subdivisionVolume != nil
  }

  /// - Throws: `ValidationError` where music is said beside a session's document.
  func validate(beside file: String?) throws {
    // Of an option that is mistyped the value is left over; who reads the line tells it afterwards.
    guard let file, FileManager.default.fileExists(atPath: file), isMusic else { return }
    throw ValidationError(
      "a session says its own tempo, meter, pattern, sound and length: leave these options out (volumes may stay)"
    )
  }

  /// These options over other settings.
  /// - Throws: `InvalidValue` where they don't fit each other.
  func apply(to settings: inout Settings) throws(InvalidValue) {
    if let meter { try settings.set(.meter(meter)) }
    if let beatUnit { try settings.set(.beatUnit(beatUnit)) }
    if let tempo { try settings.set(.tempo(tempo)) }
    for option in subdivision { try settings.set(.subdivision(option.subdivision, option.volume)) }
    if let groups {
      // Groups that are asked for are not hidden by accents from another day.
      try settings.set(.accents(nil))
      try settings.set(.groups(groups))
    }
    if let accents { try settings.set(.accents(accents)) }
    if let swing { try settings.set(.swing(swing)) }
    if let gap { try settings.set(.gap(gap)) }
    if let sound { try settings.set(.sound(sound.name)) }
    if let volume { try settings.set(.volume(.master, volume)) }
    if let accentVolume { try settings.set(.volume(.accent, accentVolume)) }
    if let beatVolume { try settings.set(.volume(.beat, beatVolume)) }
    if let subdivisionVolume { try settings.set(.volume(.subdivision, subdivisionVolume)) }
  }
}

/// `3:0.5`, or `3` for the full volume.
struct SubdivisionOption {
  let subdivision: Subdivision
  let volume: Volume

  @Sendable
  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let divisor = Int(parts[0]) else {
      throw InvalidValue("subdivision", quoted(text), allowed: "2…9, with a volume as in 3:0.5")
    }
    subdivision = try Subdivision(divisor)
    volume = parts.count > 1 ? try Volume(readNumber(String(parts[1]), "volume", "0…1")) : .full
  }
}

@Sendable
private func readVolume(_ text: String) throws -> Volume { try Volume(readNumber(text, "volume", "0…1")) }

@Sendable
func readNumber(_ text: String, _ name: String, _ allowed: String) throws -> Double {
  guard let number = Double(text) else { throw InvalidValue(name, quoted(text), allowed: allowed) }
  return number
}

@Sendable
private func readBars(_ text: String) throws -> Int {
  guard let bars = Int(text), 1...1_000_000 ~= bars else {
    throw InvalidValue("bars", quoted(text), allowed: "1…1000000")
  }
  return bars
}
