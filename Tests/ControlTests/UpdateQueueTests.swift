import Dispatch
import Engine
import MusicTime
import Realtime
import Synchronization
import Testing

@testable import Control

@Suite struct UpdateQueueTests {
  @Test func `Requests come out in the order of arrival`() {
    let queue = UpdateQueue()
    for step in 0..<1_000 { queue.push(.nudge(thousandths: step)) }
    #expect(nudges(queue.drain(until: .distantPast).requests) == Array(0..<1_000))
    #expect(queue.drain(until: .distantPast).requests.isEmpty)
  }

  @Test func `A request without room is counted, and its sender is notified`() {
    let queue = UpdateQueue()
    let reported = Atomic(0)
    for step in 0..<UpdateQueue.capacity + 10 {
      queue.push(
        Request(.update(.nudge(thousandths: step)), refuse: { _ in reported.add(1, ordering: .relaxed) }))
    }
    #expect(reported.load(ordering: .relaxed) == 10)
    let (requests, refused) = queue.drain(until: .distantPast)
    #expect(nudges(requests) == Array(0..<UpdateQueue.capacity))
    #expect(refused == 10)
    #expect(queue.drain(until: .distantPast).refused == 0)
  }

  @Test func `Start, stop and news get through a full queue, after all other requests`() {
    let queue = UpdateQueue()
    for _ in 0..<UpdateQueue.capacity { queue.push(.tap(seconds: nil)) }
    queue.push(Request(.host(.lost("gone"))))
    queue.push(.start)
    queue.push(.tap(seconds: nil))
    queue.push(.stop)
    let (requests, refused) = queue.drain(until: .distantPast)
    #expect(requests.count == UpdateQueue.capacity + 3)
    #expect(refused == 1)
    guard case .host(.lost) = requests[UpdateQueue.capacity].content else {
      Issue.record("no news")
      return
    }
    #expect(updates(requests).suffix(2) == [.start, .stop])
  }

  @Test(
    "Every update that starts or stops the music gets through a full queue",
    arguments: [
      Update.start, .stop, .toggle, .play(true), .pause, .playPause, .restart, .advance,
      .fade(milliseconds: 1),
      .stopAtBar,
    ])
  func startsAndStops(update: Update) {
    let queue = UpdateQueue()
    for _ in 0..<UpdateQueue.capacity { queue.push(.tap(seconds: nil)) }
    queue.push(update)
    let (requests, refused) = queue.drain(until: .distantPast)
    #expect(updates(requests).last == update && refused == 0)
  }

  @Test func aFloodOfStartsKeepsTheNewestAndAllNews() {
    let queue = UpdateQueue()
    for _ in 0..<UpdateQueue.capacity { queue.push(.tap(seconds: nil)) }
    queue.push(Request(.host(.connected(sampleRate: 44_100))))
    for _ in 0..<10_000 { queue.push(.start) }
    queue.push(.stop)
    let (requests, refused) = queue.drain(until: .distantPast)
    #expect(requests.count == UpdateQueue.capacity + 1 + 64)
    #expect(refused == 10_001 - 64)
    #expect(updates(requests).last == .stop)
    let news = requests.compactMap { if case .host(let news) = $0.content { news } else { nil } }
    #expect(news == [.connected(sampleRate: 44_100)])
  }

  @Test func theLastValueOfAFaderGetsThroughAFullQueue() throws {
    let queue = UpdateQueue()
    for _ in 0..<UpdateQueue.capacity { queue.push(.tap(seconds: nil)) }
    for step in 0...1_000 {
      queue.push(.set(.tempo(Tempo(clamping: 100_000 + step))))
      queue.push(.set(.volume(.beat, try Volume(Double(step) / 1_000))))
    }
    queue.push(.set(.meter(.common)))
    let (requests, refused) = queue.drain(until: .distantPast)
    #expect(
      updates(requests).suffix(2) == [.set(.tempo(Tempo(clamping: 101_000))), .set(.volume(.beat, .full))])
    #expect(requests.count == UpdateQueue.capacity + 2)
    #expect(refused == 1)
  }

  @Test func ofAFadersValuesTheLastCounts() throws {
    let queue = UpdateQueue()
    for step in 0...1_000 {
      queue.push(.set(.tempo(Tempo(clamping: 100_000 + step))))
      queue.push(.set(.volume(.beat, try Volume(Double(step) / 1_000))))
    }
    #expect(
      updates(queue.drain(until: .distantPast).requests) == [
        .set(.tempo(Tempo(clamping: 101_000))), .set(.volume(.beat, .full)),
      ])
  }

  @Test func `A value keeps its place if another request came after it`() {
    let queue = UpdateQueue()
    let (slow, fast) = (
      Update.set(.tempo(Tempo(clamping: 90_000))), Update.set(.tempo(Tempo(clamping: 120_000)))
    )
    for update in [slow, .start, fast, slow, .set(.meter(.common)), fast] { queue.push(update) }
    queue.push(Request(.update(slow), at: Instant(nanoseconds: 1)))
    queue.push(fast)
    let taken = updates(queue.drain(until: .distantPast).requests)
    #expect(taken == [slow, .start, slow, .set(.meter(.common)), fast, slow, fast])
  }

  @Test func `Collected values do not wake the reader, other requests do`() {
    let queue = UpdateQueue()
    let (slow, fast) = (
      Update.set(.tempo(Tempo(clamping: 90_000))), Update.set(.tempo(Tempo(clamping: 120_000)))
    )
    let far = UpdateQueueTests.patience
    // The first value wakes at once; further ones are collected, and taken without a signal at the deadline.
    queue.push(slow)
    #expect(updates(queue.drain(until: far).requests) == [slow])
    queue.push(slow)
    queue.push(fast)
    #expect(updates(queue.drain(until: far).requests) == [fast])
    queue.push(slow)
    queue.push(.stop)
    #expect(updates(queue.drain(until: far).requests) == [slow, .stop])
    // After a time without values, a value wakes again.
    #expect(queue.drain(until: Instant.now + .milliseconds(20)).requests.isEmpty)
    DispatchQueue.global().async { queue.push(fast) }
    #expect(updates(queue.drain(until: far).requests) == [fast])
    #expect(Instant.now < far, "a drain waited for its deadline")
  }

  @Test func requestsPushedTogetherComeOutTogether() {
    let queue = UpdateQueue()
    let hasEnded = Atomic(false)
    DispatchQueue.global().async {
      for _ in 0..<2_000 { queue.push([Request(.update(.start)), Request(.update(.stop))]) }
      hasEnded.store(true, ordering: .releasing)
    }
    var count = 0
    while count < 4_000 {
      let isLast = hasEnded.load(ordering: .acquiring)
      let taken = updates(queue.drain(until: Instant.now + .milliseconds(1)).requests)
      #expect(taken.count.isMultiple(of: 2))
      count += taken.count
      if isLast, taken.isEmpty { break }
    }
    #expect(count == 4_000)
  }

  @Test func nothingIsLostOrReorderedBetweenManyThreads() {
    let queue = UpdateQueue()
    let (threads, each) = (8, 2_000)
    let refused = Atomic(0)
    let done = DispatchGroup()
    for thread in 0..<threads {
      DispatchQueue.global().async(group: done) {
        for step in 0..<each {
          queue.push(
            Request(
              .update(.nudge(thousandths: thread * each + step)),
              refuse: { _ in refused.add(1, ordering: .relaxed) }))
        }
      }
    }
    var taken: [Int] = []
    var turnedAway = 0
    repeat {
      let (requests, count) = queue.drain(until: Instant.now + .milliseconds(1))
      taken += nudges(requests)
      turnedAway += count
    } while done.wait(timeout: .now()) == .timedOut
    taken += nudges(queue.drain(until: .distantPast).requests)
    let (_, last) = queue.drain(until: .distantPast)
    #expect(taken.count + refused.load(ordering: .relaxed) == threads * each)
    #expect(turnedAway + last <= refused.load(ordering: .relaxed))
    for thread in 0..<threads {
      let own = taken.filter { $0 / each == thread }
      #expect(own == own.sorted())
    }
  }

  @Test func aWaitingDrainIsWokenByAPush() {
    let queue = UpdateQueue()
    DispatchQueue.global().async { queue.push(.stop) }
    let far = UpdateQueueTests.patience
    #expect(updates(queue.drain(until: far).requests) == [.stop])
    #expect(Instant.now < far, "the drain waited for its deadline")
  }

  /// A deadline so late that only a drain without a wakeup reaches it: the test then fails instead of hanging.
  private static var patience: Instant { Instant.now + .seconds(600) }

  private func updates(_ requests: [Request]) -> [Update] {
    requests.compactMap { if case .update(let update) = $0.content { update } else { nil } }
  }

  private func nudges(_ requests: [Request]) -> [Int] {
    updates(requests).compactMap { if case .nudge(let step) = $0 { step } else { nil } }
  }
}
