import CSndfile
import Engine
import Files
import Glibc
import MusicTime
import Realtime
import Synchronization
import Validation

/// Speaks texts with the program espeak-ng, and caches the results.
package struct Speech: Sendable {
  /// The cache of spoken texts; nil for none.
  private let cache: SpeechCache?
  private let program: String
  private let patience: Duration
  /// Whether the program has timed out once. Later calls then fail at once.
  private let hangs = Flag()
  /// The longest text in bytes of UTF-8; longer ones are cut.
  package static let longestText = 500

  /// - Parameters:
  ///   - cache: the cache folder; nil for none.
  ///   - program: the program, called with espeak-ng's options.
  ///   - patience: the time limit for one text.
  init(cache: String?, program: String = "espeak-ng", patience: Duration = .seconds(10)) {
    (self.cache, self.program, self.patience) = (cache.map { SpeechCache(folder: $0) }, program, patience)
  }

  /// Uses the XDG cache folder.
  /// - Parameter patience: the time limit for one text.
  package init(patience: Duration = .seconds(10)) {
    self.init(cache: UserFolder.cache.path + "/tactus/speech", patience: patience)
  }

  /// Speaks a text. The clip of a number begins shortly before its vowel, so that it is heard on its frame.
  /// - Parameters:
  ///   - gain: 0…1.
  ///   - speed: words per minute.
  ///   - language: the name of an espeak-ng voice; espeak-ng checks it.
  ///   - sampleRate: in hertz.
  /// - Throws: `SpeechError` if espeak-ng is missing or fails; `SoundError` if its output can't be read.
  /// - Thread: any but audio; may take seconds.
  package func clip(_ text: String, gain: Float, speed: Int, language: String, sampleRate: Int) throws -> Clip
  {
    let text = String(decoding: text.utf8.prefix(Self.longestText), as: UTF8.self)
    let name = Speech.fingerprint("\(language) \(speed) \(text)")
    let samples =
      try cache?.samples(name, sampleRate: sampleRate)
      ?? spoken(["-v", language, "-s", "\(speed)"], text, as: name, sampleRate)
    // espeak-ng begins with a little silence. Remove it, so that the cue starts on its frame.
    var sound = Array(samples.drop { abs($0) < 0.003 })
    if SpokenNumber.isNumber(text) { sound = SpokenNumber.aligned(sound, sampleRate: sampleRate) }
    return Clip(sound.map { $0 * gain })
  }

  /// Whether a voice exists. Also true if the program is missing or hangs, because the voice can't be checked then.
  /// - Parameter voice: must be checked as `VoiceSettings` does, since it becomes an argument of a program.
  /// - Thread: any but audio; may take seconds.
  package func knows(voice: String) -> Bool {
    do { _ = try run(["-v", voice], input: "a") } catch SpeechError.failed { return false } catch {}
    return true
  }

  /// Runs the program for a text, and caches the result if there is room.
  private func spoken(_ options: [String], _ text: String, as name: String, _ sampleRate: Int) throws
    -> [Float]
  {
    let wave = try run(options, input: text)
    let file = tactus_memory_file()
    guard file >= 0 else { throw SpeechError.noMemory }
    defer { close(file) }
    guard wave.withUnsafeBytes({ writeAll($0, to: file) }) == 0 else { throw SpeechError.noMemory }
    let samples = try SampleReader(path: "the output of \(program)").samples(of: file, sampleRate: sampleRate)
    try cache?.keep(wave, as: name)
    return samples
  }

  /// A hash of a text, for file names: FNV-1a, 64 bits (Fowler, Noll and Vo).
  private static func fingerprint(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  /// The program's output, a WAV file. It goes through a pipe, because espeak-ng reports no error if the disk is full.
  private func run(_ options: [String], input: String) throws -> [UInt8] {
    guard !hangs.isSet else { throw SpeechError.hangs }
    let (text, sound) = (try Speech.pipe(), try Speech.pipe())
    // A text fits a pipe's buffer, so this never blocks. Write before the start: a program that ends early would cause SIGPIPE.
    _ = Array(input.utf8).withUnsafeBytes { writeAll($0, to: text.writing.number) }
    // The text goes to standard input, so that it is never read as an option. The thread waits until the child has ended.
    let child = ChildProcess(
      [program] + options + ["--stdin", "--stdout"], ending: .kill, input: text.reading.number,
      output: sound.writing.number)
    guard let child else { throw SpeechError.missing }
    for end in [text.reading, text.writing, sound.writing] { end.close() }
    let deadline = ContinuousClock.now + patience
    guard let wave = read(sound.reading.number, until: deadline),
      let status = child.wait(for: deadline - .now)
    else {
      hangs.set()
      child.signal(SIGKILL)
      _ = child.wait(for: .seconds(1))
      throw SpeechError.hangs
    }
    if status == .exited(127) { throw SpeechError.missing }
    guard status == .exited(0), wave.count > 44 else { throw SpeechError.failed(input, voice: options[1]) }
    return Speech.sized(wave)
  }

  /// A pipe that other children do not inherit: a private server that inherited it would prevent the end of file.
  static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw SpeechError.missing }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// Reads a pipe to its end; nil if that takes too long or if there is too much data.
  private func read(_ file: Int32, until deadline: ContinuousClock.Instant) -> [UInt8]? {
    var (data, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let left = (deadline - .now) / .milliseconds(1)
      var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard left > 0 else { return nil }
      guard poll(&waiting, 1, Int32(left)) > 0 else { continue }
      let count = Glibc.read(file, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? data : nil }
      data += buffer[..<count]
      guard data.count <= SampleReader.largestFile else { return nil }
    }
  }

  /// Fills in the sizes of a WAV file, which are unknown when it is written to a pipe.
  private static func sized(_ wave: [UInt8]) -> [UInt8] {
    var wave = wave
    for place in [4, 40] {
      withUnsafeBytes(of: UInt32(wave.count - place - 4).littleEndian) {
        wave.replaceSubrange(place..<place + 4, with: $0)
      }
    }
    return wave
  }

  /// A file descriptor that is closed when this object is released, if not before.
  final class Descriptor {
    let number: Int32
    private var isOpen = true

    init(_ number: Int32) { self.number = number }

    deinit { close() }

    func close() {
      if isOpen { Glibc.close(number) }
      isOpen = false
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}

/// Why a text can't be spoken.
package enum SpeechError: Error, CustomStringConvertible {
  /// espeak-ng is not installed, or could not be started.
  case missing
  /// espeak-ng did not end within the time limit.
  case hangs
  /// espeak-ng could not speak this text.
  case failed(String, voice: String)
  case noMemory
  /// Other users can write to the cache folder.
  case unsafe(String)

  package var description: String {
    switch self {
    case .missing:
      "espeak-ng is not installed (install it with: apt-get install espeak-ng)"
    case .hangs: "espeak-ng does not respond"
    case .failed(let text, let voice):
      "espeak-ng could not speak \(quoted(text)) with the voice \(quoted(voice))"
    case .noMemory: "not enough memory for the output of espeak-ng"
    case .unsafe(let reason): reason
    }
  }

  /// The description without the paths of files.
  var withoutPaths: String {
    if case .unsafe = self { "other users can write to the folder of the voice's cache" } else { description }
  }
}
