import Engine
import Sound

/// Takes what was captured, and writes it into files while the music plays. `Recorder` runs it on a thread of its own.
struct RecordingDesk {
  /// Kept before the music starts, and recorded after it has stopped, in seconds.
  static let (before, after) = (0.5, 1.0)
  /// Files of which takes can still be told where they are.
  private static let mostEntries = 16

  /// What is to be recorded.
  struct Wish: Equatable, Sendable {
    /// The number of the start that is recorded; nil if nothing is. Another start is another file: the desk may have seen no
    /// pause between them.
    var start: Int?
    /// Another title is another file.
    var title = ""
    /// Beyond JACK's latencies: how late each input is, in milliseconds.
    var offsets: [Int: Double] = [:]
  }

  /// A file, and which frames of the common time it has.
  struct Entry: Sendable {
    let path: String
    let begin: Int64
    let sampleRate: Int
    var written = 0
    var gaps: [Range<Int>] = []
    var isOpen = true
  }

  private struct Period {
    let block: Capture.Block
    let samples: [[Float]]
  }

  private let capture: UnsafePointer<Capture>
  private let folder: String
  private let channels: [String]
  /// Milliseconds since the Unix epoch.
  private let now: () -> Int64
  private(set) var entries: [Entry] = []
  private var wish = Wish()
  private var file: RecordingFile?
  private var aligner: TrackAligner?
  /// The clock frame at which the file ends; nil while the music plays.
  private var end: Int64?
  /// Whether the file of this wish has failed: it is not tried again before the next one.
  private var hasFailed = false
  /// The last periods, the oldest first.
  private var recent: [Period] = []
  private var lost: Int

  init(
    _ capture: UnsafePointer<Capture>, folder: String, inputs: [String], now: @escaping () -> Int64
  ) {
    (self.capture, self.folder, self.now) = (capture, folder, now)
    channels = ["click"] + inputs
    lost = capture.pointee.lostFrames.load(ordering: .relaxed)
  }

  /// The files that were begun.
  private(set) var files = 0

  /// Follows a wish with all that was captured since the last pass.
  /// - Returns: problems, as sentences.
  mutating func pass(_ wish: Wish) -> [String] {
    var problems: [String] = []
    let isNew = wish.start != nil && (wish.start != self.wish.start || wish.title != self.wish.title)
    let isOver = wish.start == nil && self.wish.start != nil
    self.wish = wish
    if isNew {
      close(&problems)
      hasFailed = false
    }
    while let block = capture.pointee.takeBlock() {
      var samples = [[Float]](repeating: [], count: channels.count)
      for track in channels.indices {
        // The click is the capture's last input and the file's first channel.
        let input = track == 0 ? channels.count - 1 : track - 1
        capture.pointee.read(block, input: input, into: &samples[track])
      }
      capture.pointee.release(block)
      take(Period(block: block, samples: samples), &problems)
    }
    if isOver, let last = recent.last?.block {
      end = last.clock + Int64(RecordingDesk.after * Double(last.sampleRate))
    }
    reportLosses(&problems)
    return problems
  }

  /// Completes the file that is open.
  mutating func finish() -> [String] {
    var problems: [String] = []
    close(&problems)
    return problems
  }

  private mutating func take(_ period: Period, _ problems: inout [String]) {
    if let aligner, !aligner.continues(period.block) { close(&problems) }
    recent.append(period)
    let kept = Int64(RecordingDesk.before * Double(period.block.sampleRate))
    while let first = recent.first, first.block.clock + Int64(first.block.count) < period.block.clock - kept {
      recent.removeFirst()
    }
    if let end, period.block.clock >= end { close(&problems) }
    if file == nil, wish.start != nil, !hasFailed {
      open(&problems)
    } else {
      add(period)
    }
    write(&problems)
  }

  /// Begins a file with what was heard just before.
  private mutating func open(_ problems: inout [String]) {
    guard let last = recent.last?.block else { return }
    let together = recent.filter { $0.block.sampleRate == last.sampleRate }
    let begin = together[0].block.clock
    do {
      let passed = Int64(Double(last.clock - begin) / Double(last.sampleRate) * 1_000)
      let file = try RecordingFile(
        in: folder, named: RecordingFile.name(at: now() - passed, title: wish.title),
        sampleRate: last.sampleRate, channels: channels, title: wish.title)
      self.file = file
      aligner = TrackAligner(shifts: shifts(last.sampleRate), begin: begin, sampleRate: last.sampleRate)
      files += 1
      entries.append(Entry(path: file.path, begin: begin, sampleRate: last.sampleRate))
      if entries.count > RecordingDesk.mostEntries { entries.removeFirst() }
      for period in together { add(period) }
    } catch {
      hasFailed = true
      problems.append("not recorded: \(error); the music goes on")
    }
  }

  private mutating func add(_ period: Period) {
    guard aligner != nil else { return }
    let shifts = shifts(period.block.sampleRate)
    aligner?.move(to: shifts)
    aligner?.add(period.block, period.samples)
  }

  /// Later by the playback latency is the click, earlier by capture latency and calibration what is played.
  private func shifts(_ sampleRate: Int) -> [Int] {
    let inputs = channels.count - 1
    return [capture.pointee.latency(of: inputs)]
      + (0..<inputs).map {
        let offset = (wish.offsets[$0] ?? 0) / 1_000 * Double(sampleRate)
        return -capture.pointee.latency(of: $0) - Int(offset.rounded())
      }
  }

  private mutating func write(_ problems: inout [String], until last: Int? = nil) {
    guard let file, let frames = aligner?.take(until: last), !frames.isEmpty else { return }
    do {
      try file.write(frames)
      note()
    } catch {
      fail(error, &problems)
    }
  }

  private mutating func note(isOpen: Bool = true) {
    guard let aligner, let index = entries.indices.last else { return }
    entries[index].written = aligner.written
    entries[index].gaps = aligner.gaps
    entries[index].isOpen = isOpen
  }

  /// The file ends where it can't be written on: what is in it stays.
  private mutating func fail(_ error: any Error, _ problems: inout [String]) {
    problems.append("the recording ends here: \(error); the music goes on")
    hasFailed = true
    try? file?.finish()
    if let index = entries.indices.last { entries[index].isOpen = false }
    (file, aligner, end) = (nil, nil, nil)
  }

  private mutating func close(_ problems: inout [String]) {
    if let aligner {
      // All tracks end with the clock.
      let last = recent.last { $0.block.clock >= aligner.begin }?.block
      write(&problems, until: last.map { Int($0.clock - aligner.begin) + $0.count } ?? aligner.written)
    }
    guard let file else { return }
    do {
      try file.finish()
      note(isOpen: false)
      (self.file, aligner, end) = (nil, nil, nil)
    } catch {
      fail(error, &problems)
    }
  }

  private mutating func reportLosses(_ problems: inout [String]) {
    let now = capture.pointee.lostFrames.load(ordering: .relaxed)
    defer { lost = now }
    guard now > lost, let file, let rate = recent.last?.block.sampleRate else { return }
    let tenths = (Double(now - lost) / Double(rate) * 10).rounded(.up) / 10
    problems.append("the disk was too slow: \(tenths) s are silent in \(file.path)")
  }
}
