import ArgumentParser
import Control
import Engine
import Glibc
import MusicTime
import Sound
import Validation

/// `tactus render`.
struct Render: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract:
      "Write the click to a sound file, faster than real time, or its tempo map to a MIDI file.",
    discussion: """
      The samples are those that `play` plays from its first downbeat on. The last clip plays to its end, so the \
      file is slightly longer than the bars or the duration. Each song of a setlist becomes a file of its own: \
      -o gig.wav writes gig-01.wav, gig-02.wav and so on. With --joined all songs are in one file. Existing \
      files are replaced.
      """)

  @Argument(
    help:
      "A session or a klick tempo map to render instead of the metronome: a file, or the name or title of a document in the session folder.",
    completion: Completions.documents)
  var file: String?

  @OptionGroup(title: "Music") var music: MusicalOptions

  @Option(name: [.short, .long], help: "The file to write: .wav, .flac or .ogg, or .mid for a tempo map.")
  var output: String
  @Option(parsing: .unconditional, help: "Sample rate in hertz, 8000…192000. Default: 48000.")
  var sampleRate: Int?
  @Option(
    parsing: .unconditional, help: "Bits per sample: 16, 24 or, for wav, 32 (floating point). Default: 24.")
  var bitDepth: Int?
  @Flag(help: "Also write a file for each role and layer, such as click-accent.wav or click-layer-1.wav.")
  var stems = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Length in seconds or as 1:30, instead of --bars.", valueName: "time"),
    transform: readDuration)
  var duration: Double?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The start of a .wav file on a DAW's timeline, in seconds or as 1:00:00. Each further file of a setlist follows the previous one.",
      valueName: "time"),
    transform: readTime)
  var timeReference: Double?
  @Flag(
    help:
      "Render the songs of a setlist into one file, with its pauses. Where the setlist waits, the next song follows at once."
  )
  var joined = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Render only this song of a setlist, from 1, into the file itself.", valueName: "number"))
  var song: Int?

  mutating func validate() throws {
    file = try file.map { text throws(InvalidValue) in try SessionReading.found(text) }
    try music.validate(beside: file)
    if isTempoMap { try validateTempoMap() }
    guard file == nil else {
      guard !joined || song == nil else {
        throw ValidationError("--joined and --song exclude each other: leave one out")
      }
      return
    }
    guard !joined else {
      throw ValidationError(
        "--joined is for the songs of a setlist: name the setlist, as in render GIG.yaml --joined")
    }
    guard song == nil else {
      throw ValidationError("--song chooses from a setlist: name the setlist, as in render GIG.yaml --song 2")
    }
    guard (music.bars == nil) != (duration == nil) else {
      throw ValidationError(
        music.bars == nil
          ? "the length is missing: add --bars 8 or --duration 1:30"
          : "--bars and --duration exclude each other: leave one out")
    }
  }

  func run() throws {
    try CommandError.reported(render)
  }

  private func render() throws {
    if isTempoMap { return try writeTempoMap() }
    var settings = Settings()
    let sampleRate = sampleRate ?? 48_000
    let format: AudioFormat
    do {
      try music.apply(to: &settings)
      format = try AudioFormat(path: output, sampleRate: sampleRate, bitDepth: bitDepth)
    } catch {
      let other = error.name == "output" ? ", or in .mid for a tempo map" : ""
      throw CommandError("\(error)\(other)", code: .usage)
    }
    guard timeReference == nil || format.container == .wav else {
      throw CommandError(
        "--time-reference: only .wav files contain one, not .\(format.container.rawValue)", code: .usage)
    }
    if let file { return try renderSession(file, settings, format) }
    try OutputCheck.check(
      outputs(output, layers: settings.layers),
      reading: Render.soundFiles([settings.sound] + settings.layers.compactMap(\.layer.sound)))
    let clips: ClipSet
    var sounds: [String: ClipSet] = [:]
    do {
      clips = try readSound(settings.sound, settings.voice.ofMetronome, sampleRate).clips
      for name in settings.layers.compactMap(\.layer.sound) {
        sounds[name] = try readSound(name, settings.voice.ofMetronome, sampleRate).clips
      }
    } catch {
      throw CommandError("\(error)", code: .noInput)
    }
    do {
      let plan = SectionPlan(settings, try settings.layout, bars: music.bars)
      let sections = Score.Sections([plan], sampleRate: sampleRate, clips: clips, sounds: sounds)
      let score = Score.make(sections, generation: 1, gains: settings.gains)
      let stop = duration.map { Int64(($0 * Double(sampleRate)).rounded()) }
      var notes = AudioNotes()
      notes.timeReference = start(at: sampleRate)
      try write(score, until: stop, layers: plan.layers, format, notes, to: output)
      // The renderer reads the clips through pointers.
      withExtendedLifetime((clips, sounds)) {}
    } catch let error as SoundError {
      throw CommandError("\(error)", code: .cannotCreate)
    }
  }

  private func renderSession(_ file: String, _ settings: Settings, _ format: AudioFormat) throws {
    var start = start(at: format.sampleRate)
    let pieces = try readPieces(file)
    // No file is written before all songs are checked.
    if duration == nil, let endless = pieces.first(where: \.plan.isEndless) {
      let title = pieces.count == 1 ? file : quoted(endless.plan.title)
      throw CommandError("\(title) has no end: set the length with --duration", code: .usage)
    }
    for piece in pieces {
      let frames = try render(piece, of: file, settings, format, startingAt: start)
      start = start.map { $0 + frames }
    }
  }

  /// The time reference in frames from midnight to a file's first frame; nil if none was given.
  private func start(at sampleRate: Int) -> Int? {
    timeReference.map { Int(($0 * Double(sampleRate)).rounded()) }
  }

  /// Renders a file.
  /// - Parameter start: its time reference in frames; nil for none.
  /// - Returns: the file's length in frames.
  private func render(
    _ piece: Piece, of file: String, _ settings: Settings, _ format: AudioFormat, startingAt start: Int?
  ) throws -> Int {
    let (plan, path) = (piece.plan, piece.path)
    let sampleRate = format.sampleRate
    let song = piece.prepared { plan in
      PreparedSong(
        plan, sampleRate: sampleRate, voice: settings.voice, readSound: readSound, speak: SessionReading.speak
      )
    }
    for warning in song.warnings { StandardError.write("\(warning)", prefix: "tactus: ") }
    let score = song.score(gains: settings.gains, voice: settings[Parameters.voiceVolume])
    let stop = duration.map { Int64(($0 * Double(sampleRate)).rounded()) }
    var notes = AudioNotes()
    (notes.title, notes.timeReference) = (plan.title, start)
    notes.markers = markers(of: plan, in: score, until: stop)
    // The renderer reads the clips through pointers.
    return try withExtendedLifetime(song) {
      do {
        return try write(score, until: stop, layers: plan.plans.flatMap(\.layers), format, notes, to: path)
      } catch let error as SoundError {
        throw CommandError("\(error)", code: .cannotCreate)
      }
    }
  }

  /// A marker where each part of a song begins, in its first lap.
  private func markers(of plan: SongPlan, in score: UnsafePointer<Score>, until stop: Int64?)
    -> [AudioNotes.Marker]
  {
    zip(plan.plans.indices, score.pointee.startFrames).compactMap { index, frame in
      let name = plan.plans[index].name
      guard plan.beginsPart(index), !name.isEmpty, frame < stop ?? .max else { return nil }
      return AudioNotes.Marker(frame: Int(frame), name: name)
    }
  }

  /// The content of one file.
  struct Piece {
    let plan: SongPlan
    let path: String
    /// The songs of which it consists, if there are several; otherwise nil.
    var parts: (joined: JoinedSong, songs: [SongPlan])?

    func prepared(_ prepare: (SongPlan) -> PreparedSong) -> PreparedSong {
      parts.map { $0.joined.prepared($0.songs.map(prepare)) } ?? prepare(plan)
    }
  }

  /// The requested songs of a document, each with the file to write.
  /// - Throws: `CommandError`, also if a file to write is one of those that are read.
  func readPieces(_ file: String) throws -> [Piece] {
    let setlist = try SessionReading.read(file).setlist
    let pieces = try pieces(of: setlist, in: file)
    try OutputCheck.check(
      pieces.flatMap { outputs($0.path, layers: $0.plan.plans.flatMap(\.layers)) },
      reading: [file] + setlist.songs.compactMap(\.path)
        + Render.soundFiles(setlist.songs.flatMap(\.song.sounds)))
    return pieces
  }

  private func pieces(of setlist: Setlist, in file: String) throws -> [Piece] {
    let songs = setlist.songs.map(\.song)
    if let song {
      guard 1...songs.count ~= song else {
        throw CommandError("song \(song): must be 1…\(songs.count), a song of \(file)", code: .usage)
      }
      return [Piece(plan: songs[song - 1], path: output)]
    }
    guard songs.count > 1, let dot = output.lastIndex(of: ".") else {
      return songs.map { Piece(plan: $0, path: output) }
    }
    if joined {
      for song in songs.dropLast() where song.isEndless {
        throw CommandError(
          "\(quoted(song.title)) has no end, so no song can follow it: leave out --joined", code: .usage)
      }
      let joined = JoinedSong(title: setlist.title, setlist.songs)
      return [Piece(plan: joined.plan, path: output, parts: (joined, songs))]
    }
    return songs.enumerated().map { index, song in
      Piece(plan: song, path: "\(output[..<dot])-\(index < 9 ? "0" : "")\(index + 1)\(output[dot...])")
    }
  }

  /// The paths of the sound files of sound sets.
  private static func soundFiles(_ names: [String]) -> [String] {
    Set(names).flatMap { (try? SoundSource($0))?.paths ?? [] }
  }

  /// The paths of a file and, if requested, of its stems.
  private func outputs(_ path: String, layers: [LayerPlan]) -> [String] {
    guard stems else { return [path] }
    let count = layers.map(\.number).max() ?? 0
    let names = ClickRole.allCases.map(\.name) + (0..<count).map(Render.layerName)
    return [path] + names.map { Render.stem($0, of: path) }
  }

  /// The path of a stem, such as `click-accent.wav`.
  /// - Parameter path: of the mix.
  private static func stem(_ name: String, of path: String) -> String {
    let dot = path.lastIndex(of: ".") ?? path.endIndex
    return "\(path[..<dot])-\(name)\(path[dot...])"
  }

  /// The name of a layer's stem.
  /// - Parameter index: from 0.
  private static func layerName(_ index: Int) -> String { "layer-\(index + 1)" }

  /// Writes all files. Takes ownership of the score.
  /// - Returns: the length of each file in frames.
  @discardableResult
  private func write(
    _ score: UnsafePointer<Score>, until stop: Int64?, layers: [LayerPlan], _ format: AudioFormat,
    _ notes: AudioNotes, to path: String
  ) throws -> Int {
    let count = stems ? layers.map(\.number).max() ?? 0 : 0
    let volume = Double(score.pointee.gains.master)
    var renderer = OfflineRenderer(score, until: stop, layers: count)
    let files = try Files(
      path: path, format: format, notes, hasStems: stems, layers: count, expectedFrames: Int(renderer.end))
    var progress = ProgressBar()
    var length = 0
    while let (outputs, frames) = renderer.next() {
      try files.write(outputs, frames)
      length += frames
      progress.show(renderer.progress)
    }
    try files.finish()
    progress.clear()
    if files.peak > 1, format.bitDepth != 32 { warnOfClipping(path, peak: Double(files.peak), at: volume) }
    return length
  }

  /// Warns of samples that exceed full scale: formats other than floating point clip them.
  private func warnOfClipping(_ path: String, peak: Double, at volume: Double) {
    let excess = (200 * log10(peak)).rounded() / 10
    let percent = Int((100 * volume / peak).rounded(.down))
    StandardError.write(
      "\(path): the loudest clicks exceed full scale by \(excess) dB and are clipped: --volume \(percent)% avoids that",
      prefix: "tactus: ")
  }

  /// The mix and, if requested, the stems.
  private struct Files {
    private let mix: AudioFileWriter
    private var stems: [(role: ClickRole, writer: AudioFileWriter)] = []
    private var layers: [AudioFileWriter] = []

    init(
      path: String, format: AudioFormat, _ notes: AudioNotes, hasStems: Bool, layers count: Int,
      expectedFrames: Int
    ) throws {
      mix = try AudioFileWriter(path: path, format: format, expectedFrames: expectedFrames, notes: notes)
      guard hasStems else { return }
      func writer(_ name: String) throws -> AudioFileWriter {
        let stem = Render.stem(name, of: path)
        return try AudioFileWriter(path: stem, format: format, expectedFrames: expectedFrames, notes: notes)
      }
      stems = try ClickRole.allCases.map { ($0, try writer($0.name)) }
      layers = try (0..<count).map { try writer(Render.layerName($0)) }
    }

    /// The largest magnitude of the mix.
    var peak: Float { mix.peak }

    func write(_ outputs: Outputs, _ count: Int) throws {
      try mix.write(UnsafeBufferPointer(start: outputs.out, count: count))
      for (role, writer) in stems {
        try writer.write(UnsafeBufferPointer(start: outputs.buses[role], count: count))
      }
      for (buffer, writer) in zip(outputs.layers, layers) {
        try writer.write(UnsafeBufferPointer(start: buffer, count: count))
      }
    }

    func finish() throws {
      for (_, writer) in stems { try writer.finish() }
      for writer in layers { try writer.finish() }
      try mix.finish()
    }
  }
}

@Sendable
private func readDuration(_ text: String) throws -> Double {
  guard let seconds = seconds(text), seconds > 0, seconds <= 86_400 else {
    throw InvalidValue(
      "duration", quoted(text), allowed: "above 0 and at most 24 hours, in seconds or as 1:30")
  }
  return seconds
}

@Sendable
private func readTime(_ text: String) throws -> Double {
  guard let seconds = seconds(text), seconds < 86_400 else {
    throw InvalidValue("time reference", quoted(text), allowed: "below 24 hours, in seconds or as 1:00:00")
  }
  return seconds
}

/// Parses seconds (`90`), minutes and seconds (`1:30`), or hours, minutes and seconds (`1:00:00`); nil for anything else.
private func seconds(_ text: String) -> Double? {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
  guard 1...3 ~= parts.count, parts.allSatisfy({ $0 != nil && $0! >= 0 && $0!.isFinite }) else { return nil }
  return parts.reduce(0) { $0 * 60 + $1! }
}
