import CSndfile
import Engine
import Glibc
import MusicTime
import Testing

@testable import Recording

@Suite struct RecordingDeskTests {
  /// Records a capture in a temporary folder.
  private final class Course {
    let folder: String
    let capture: UnsafePointer<Capture>
    var desk: RecordingDesk
    private(set) var problems: [String] = []
    private(set) var clock: Int64
    private let inputs: Int

    init(inputs: Int = 1, from clock: Int64 = 1_000_000, seconds: Int = 2) {
      folder = String(cString: mkdtemp(strdup("/tmp/tactus-recording-XXXXXX")))
      capture = Capture.make(inputs: inputs + 1, sampleRate: 48_000, seconds: seconds)
      desk = RecordingDesk(
        capture, folder: folder, inputs: (0..<inputs).map { "drum-\($0)" },
        now: { 1_800_000_000_000 })
      (self.clock, self.inputs) = (clock, inputs)
    }

    deinit {
      for file in files { unlink("\(folder)/\(file)") }
      rmdir(folder)
    }

    /// Puts a file in the folder's place, so that nothing can be recorded.
    func replaceFolder() {
      #expect(rmdir(folder) == 0)
      let file = open(folder, O_CREAT | O_EXCL | O_WRONLY, 0o600)
      #expect(file >= 0 && close(file) == 0)
    }

    func restoreFolder() {
      #expect(unlink(folder) == 0 && mkdir(folder, 0o700) == 0)
    }

    var files: [String] {
      guard let folder = opendir(folder) else { return [] }
      defer { closedir(folder) }
      var names: [String] = []
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
      }
      return names.sorted()
    }

    /// Plays periods of 256 frames into the capture.
    /// - Parameters:
    ///   - click: the clock frames at which the click has a sample of 0.5.
    ///   - strokes: the clock frames at which all inputs have a sample of 0.25.
    func play(_ periods: Int, rate: Int = 48_000, click: Set<Int64> = [], strokes: Set<Int64> = []) {
      for _ in 0..<periods {
        let frames = (0..<256).map { clock + Int64($0) }
        let input = frames.map { strokes.contains($0) ? Float(0.25) : 0 }
        let out = frames.map { click.contains($0) ? Float(0.5) : 0 }
        input.withUnsafeBufferPointer { input in
          out.withUnsafeBufferPointer { out in
            let buffers = [UnsafePointer<Float>?](repeating: input.baseAddress!, count: inputs)
            if capture.pointee.begin(buffers, count: inputs, frames: 256) {
              capture.pointee.finish(
                out.baseAddress!, frames: 256, clock: ClockFrame(clock), sampleRate: rate)
            }
          }
        }
        clock += 256
      }
    }

    func miss(_ frames: Int64) { clock += frames }

    func pass(_ isOn: Bool, start: Int = 1, title: String = "", offsets: [Int: Double] = [:]) {
      problems += desk.pass(RecordingDesk.Request(start: isOn ? start : nil, title: title, offsets: offsets))
    }

    func finish() { problems += desk.finish() }

    /// The samples of each channel of a file.
    func channels(_ file: String) throws -> (channels: [[Float]], comment: String) {
      var info = SF_INFO()
      let handle = try #require(sf_open("\(folder)/\(file)", Int32(SFM_READ), &info))
      defer { sf_close(handle) }
      var frames = [Float](repeating: 0, count: Int(info.frames) * Int(info.channels))
      #expect(sf_readf_float(handle, &frames, info.frames) == info.frames)
      let comment = sf_get_string(handle, Int32(SF_STR_COMMENT)).map { String(cString: $0) } ?? ""
      let count = Int(info.channels)
      return (
        (0..<count).map { channel in stride(from: channel, to: frames.count, by: count).map { frames[$0] } },
        comment
      )
    }
  }

  private func places(_ samples: [Float]) -> [Int] { samples.indices.filter { samples[$0] > 0.1 } }

  @Test func `The click and the input of one moment are in one frame of the file`() throws {
    let course = Course(inputs: 2)
    course.capture.pointee.setLatency(of: 0, 300)
    course.capture.pointee.setLatency(of: 1, 0)
    course.capture.pointee.setLatency(of: 2, 700)
    course.play(10)
    course.pass(false)
    course.pass(true)
    // The click is heard 700 frames later; a stroke on it arrives 300 frames after that, and is 2 ms late by the calibration.
    let click = course.clock + 5_000
    course.play(100, click: [click], strokes: [click + 700 + 300 + 96])
    course.pass(true, offsets: [0: 2])
    course.finish()
    #expect(course.problems == [])
    let (channels, comment) = try course.channels(try #require(course.files.first))
    #expect(comment == "channel 1: click, channel 2: drum-0, channel 3: drum-1")
    #expect(channels.count == 3)
    #expect(places(channels[0]).count == 1 && places(channels[0]) == places(channels[1]))
    #expect(places(channels[2]) == places(channels[0]).map { $0 + 300 + 96 })
    #expect(Set(channels.map(\.count)).count == 1)
    // The frame is that of the common time.
    let entry = try #require(course.desk.entries.first)
    #expect(places(channels[0]) == [Int(click + 700 - entry.begin.number)])
  }

  @Test func `The moment before the start and the one after the stop are recorded too`() throws {
    let course = Course()
    course.play(200, click: [1_040_000])
    course.pass(false)
    course.pass(true)
    course.play(100)
    course.pass(true)
    course.pass(false)
    course.play(400)
    course.pass(false)
    #expect(course.desk.entries.first?.isOpen == false)
    let (channels, _) = try course.channels(try #require(course.files.first))
    let seconds = Double(channels[0].count) / 48_000
    let expected: Double = 1.5 + 25_600.0 / 48_000
    // To a period.
    #expect(expected - 0.006...expected + 0.02 ~= seconds)
    #expect(places(channels[0]).count == 1)
  }

  @Test func `Frames that were missed are silent, and what follows is in its place`() throws {
    let course = Course()
    course.pass(true)
    let (first, second) = (course.clock + 1_000, course.clock + 20_000)
    course.play(20, click: [first, second])
    course.miss(1_024)
    course.play(100, click: [first, second])
    course.pass(true)
    course.finish()
    let (channels, _) = try course.channels(try #require(course.files.first))
    #expect(places(channels[0]) == [1_000, 20_000])
    #expect(course.desk.entries.first?.gaps == [5_120..<6_144])
  }

  @Test func `A starved writer marks lost frames, and continues`() throws {
    let course = Course(seconds: 1)
    course.pass(true)
    let late = course.clock + 150_000
    // The ring has room for 65 536 frames.
    course.play(400)
    course.pass(true)
    course.play(200, click: [late])
    course.pass(true)
    course.finish()
    #expect(
      course.problems.count == 1 && course.problems[0].contains("the disk was too slow: 0.8 s are silent"))
    let (channels, _) = try course.channels(try #require(course.files.first))
    #expect(places(channels[0]) == [150_000])
    #expect(course.desk.entries.first?.gaps.map(\.count) == [400 * 256 - 65_536])
  }

  @Test func `No file is overwritten, even with the same name`() throws {
    let course = Course()
    for _ in 0..<3 {
      course.pass(true, title: "A/B: \u{1B}[31m")
      course.play(10)
      course.pass(true, title: "A/B: \u{1B}[31m")
      course.pass(false)
      course.play(400)
      course.pass(false)
    }
    #expect(course.files.count == 3)
    #expect(course.files.allSatisfy { $0.hasSuffix(".flac") && !$0.contains("\u{1B}") })
    #expect(course.files.contains { $0.hasSuffix(" (2).flac") })
  }

  @Test func `Another song or another rate is another file`() throws {
    let course = Course()
    course.pass(true, title: "One")
    course.play(20)
    course.pass(true, title: "One")
    course.pass(true, title: "Two")
    course.play(20)
    course.pass(true, title: "Two")
    course.play(20, rate: 44_100)
    course.pass(true, title: "Two")
    course.miss(48_000 * 60)
    course.play(20, rate: 44_100)
    course.pass(true, title: "Two")
    course.finish()
    #expect(course.files.filter { $0.hasSuffix("One.flac") }.count == 1)
    #expect(course.files.count == 4)
    #expect(course.desk.entries.map(\.sampleRate) == [48_000, 48_000, 44_100, 44_100])
  }

  @Test func `Another start is another file, even if no pause was seen`() throws {
    let course = Course()
    course.pass(true)
    course.play(20)
    course.pass(true)
    course.pass(true, start: 2)
    course.play(20)
    course.pass(true, start: 2)
    course.finish()
    #expect(course.files.count == 2)
  }

  @Test func `A folder that cannot be written is reported once, and tried again with the next take`() {
    let course = Course()
    course.replaceFolder()
    for _ in 0..<5 {
      course.play(10)
      course.pass(true)
    }
    #expect(course.problems.count == 1 && course.problems[0].contains("the music goes on"))
    course.restoreFolder()
    course.pass(false)
    course.pass(true)
    course.play(10)
    course.pass(true)
    course.finish()
    #expect(course.problems.count == 1 && course.files.count == 1)
  }

  @Test func `The take after one that could not be recorded is in one file, to its end`() throws {
    let course = Course()
    course.replaceFolder()
    course.play(10)
    course.pass(true)
    #expect(course.problems.count == 1)
    course.pass(false)
    course.restoreFolder()
    // Longer than a file goes on after its music.
    for _ in 0..<3 {
      course.play(100)
      course.pass(true, start: 2)
    }
    course.finish()
    #expect(course.problems.count == 1 && course.files.count == 1 && course.desk.files == 1)
    let (channels, _) = try course.channels(try #require(course.files.first))
    #expect(channels[0].count >= 300 * 256)
  }

  @Test func `A file that is deleted during the take is told once, and another one begins`() throws {
    let course = Course()
    course.play(10)
    course.pass(true)
    let file = try #require(course.files.first)
    unlink("\(course.folder)/\(file)")
    for _ in 0..<4 {
      course.play(100)
      course.pass(true)
    }
    #expect(course.problems.count == 1 && course.problems[0].contains("was deleted"), "\(course.problems)")
    #expect(course.files.count == 1 && course.desk.entries.count == 1)
    course.finish()
    #expect(course.problems.count == 1)
    let (channels, _) = try course.channels(try #require(course.files.first))
    #expect(channels[0].count >= 100 * 256)
  }

  @Test func `A folder that is deleted during the take is made again, and the take goes on in a new file`()
    throws
  {
    let course = Course()
    course.play(10)
    course.pass(true)
    let file = try #require(course.files.first)
    unlink("\(course.folder)/\(file)")
    rmdir(course.folder)
    for _ in 0..<6 {
      course.play(100)
      course.pass(true)
    }
    course.finish()
    #expect(course.problems.count == 1, "\(course.problems)")
    #expect(course.problems.first?.contains("was deleted") == true)
    // What was lost does not count as a recording.
    #expect(course.files.count == 1 && course.desk.files == 1 && course.desk.entries.count == 1)
    let (channels, _) = try course.channels(try #require(course.files.first))
    #expect(channels[0].count >= 300 * 256)
  }

  @Test func `A file that is emptied during the take is given up, and the take goes on in a new file`() throws
  {
    let course = Course()
    course.play(10)
    course.pass(true)
    course.play(300)
    course.pass(true)
    let emptied = try #require(course.files.first)
    #expect(truncate(course.folder + "/" + emptied, 0) == 0)
    for _ in 0..<3 {
      course.play(300)
      course.pass(true)
    }
    course.finish()
    #expect(course.problems.count == 1 && course.problems[0].contains("emptied"), "\(course.problems)")
    #expect(course.desk.files == 1)
    let name = try #require(course.files.first { $0 != emptied })
    let (channels, _) = try course.channels(name)
    #expect(channels[0].count >= 300 * 256)
  }

  @Test func `A file that is deleted at the end of a take is told, too`() throws {
    let course = Course()
    course.play(10)
    course.pass(true)
    let file = try #require(course.files.first)
    unlink("\(course.folder)/\(file)")
    course.play(10)
    course.pass(true)
    course.finish()
    #expect(course.problems.count == 1 && course.problems[0].contains("was deleted"))
  }

  @Test func `Latencies that change move what follows, and nothing is told twice`() throws {
    let course = Course()
    course.pass(true)
    let start = course.clock
    course.play(40, strokes: [start + 5_000])
    course.pass(true)
    course.capture.pointee.setLatency(of: 0, 500)
    course.play(40, strokes: [start + 15_000])
    course.pass(true)
    course.finish()
    let (channels, _) = try course.channels(try #require(course.files.first))
    #expect(places(channels[1]) == [5_000, 14_500])
  }
}
