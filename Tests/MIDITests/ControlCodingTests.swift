import MIDI
import Testing

@Suite struct EncoderCodingTests {
  @Test func `Each coding has its own middle and sign`() {
    for (coding, right, left, farRight, farLeft) in [
      (EncoderCoding.twosComplement, UInt8(1), UInt8(127), UInt8(63), UInt8(65)),
      (.signedBit, 1, 65, 63, 127), (.binaryOffset, 65, 63, 127, 1),
    ] {
      #expect(coding.detents(right) == 1)
      #expect(coding.detents(left) == -1)
      #expect(coding.detents(farRight) == 63)
      #expect(coding.detents(farLeft) == -63)
    }
    #expect(EncoderCoding.twosComplement.detents(0) == 0)
    #expect(EncoderCoding.signedBit.detents(0) == 0)
    #expect(EncoderCoding.signedBit.detents(64) == 0)
    #expect(EncoderCoding.binaryOffset.detents(64) == 0)
  }
}

@Suite struct ControllerPairsTests {
  @Test func `A fine half completes the coarse half of its channel`() {
    var pairs = ControllerPairs()
    let coarse = pairs.take(channel: 1, controller: 7, value: 127)
    #expect(coarse?.controller == 7 && coarse?.value == 127 << 7)
    _ = pairs.take(channel: 16, controller: 7, value: 1)
    let fine = pairs.take(channel: 1, controller: 39, value: 127)
    #expect(fine?.controller == 7 && fine?.value == 16_383)
    let other = pairs.take(channel: 16, controller: 39, value: 2)
    #expect(other?.value == 130)
    // A new coarse half has no fine one yet.
    #expect(pairs.take(channel: 1, controller: 7, value: 1)?.value == 128)
    #expect(pairs.take(channel: 1, controller: 64, value: 1) == nil)
    #expect(pairs.take(channel: 17, controller: 1, value: 1) == nil)
  }
}

@Suite struct SoftTakeoverTests {
  @Test func `A fader has no effect until it meets the value, then it has`() {
    var fader = SoftTakeover()
    #expect(fader.take(0.1, current: 0.5) == false)
    #expect(fader.take(0.48, current: 0.5) == false)
    #expect(fader.take(0.495, current: 0.5) == true)
    #expect(fader.take(0.9, current: 0.495) == true)
  }

  @Test func `A fader that passes the value picks it up, from either side`() {
    for (from, to) in [(0.1, 0.8), (0.9, 0.2)] {
      var fader = SoftTakeover()
      #expect(fader.take(from, current: 0.5) == false)
      #expect(fader.take(to, current: 0.5) == true)
    }
  }

  @Test func `After another source changes the value the fader must pick it up again`() {
    var fader = SoftTakeover()
    #expect(fader.take(0.5, current: 0.5) == true)
    #expect(fader.take(0.55, current: 0.9) == false)
    #expect(fader.take(0.95, current: 0.9) == true)
    // Rounding on the way to the value is nobody else.
    #expect(fader.take(0.2, current: 0.951) == true)
  }

  @Test func `A value beyond the fader's range is never picked up`() {
    var fader = SoftTakeover()
    #expect(fader.take(0, current: 1.5) == false)
    #expect(fader.take(1, current: 1.5) == false)
  }
}

@Suite struct FootswitchGestureTests {
  let ms: UInt64 = 1_000_000

  @Test func `A press counts at once where nothing else is looked for`() {
    var foot = FootswitchGesture([.press])
    #expect(foot.press(at: 5)! == (.press, 5))
    #expect(foot.deadline == nil)
    #expect(foot.release() == nil)
    #expect(foot.press(at: 9)! == (.press, 9))
    // A release that got lost is no matter.
    #expect(foot.press(at: 12)! == (.press, 12))
  }

  @Test func `A press that lasts is a hold, and a shorter one counts when it ends`() {
    var foot = FootswitchGesture([.press, .hold])
    #expect(foot.press(at: 100 * ms) == nil)
    #expect(foot.update(now: 699 * ms) == nil)
    #expect(foot.release()! == (.press, 100 * ms))
    #expect(foot.press(at: 1_000 * ms) == nil)
    #expect(foot.deadline == 1_600 * ms)
    #expect(foot.update(now: 1_600 * ms)! == (.hold, 1_600 * ms))
    #expect(foot.update(now: 3_000 * ms) == nil)
    #expect(foot.release() == nil)
  }

  @Test func `A second press soon makes a double one, and a single one counts when none comes`() {
    var foot = FootswitchGesture([.press, .double])
    #expect(foot.press(at: 0) == nil)
    #expect(foot.release() == nil)
    #expect(foot.press(at: 300 * ms)! == (.double, 300 * ms))
    #expect(foot.release() == nil)
    #expect(foot.press(at: 600 * ms) == nil)
    #expect(foot.release() == nil)
    #expect(foot.update(now: 949 * ms) == nil)
    #expect(foot.update(now: 950 * ms)! == (.press, 600 * ms))
    // It counts too where the foot stays.
    #expect(foot.press(at: 2_000 * ms) == nil)
    #expect(foot.update(now: 2_350 * ms)! == (.press, 2_000 * ms))
    #expect(foot.release() == nil)
  }

  @Test func `Press, hold and double press are distinguished`() {
    var foot = FootswitchGesture([.press, .hold, .double])
    #expect(foot.press(at: 0) == nil)
    #expect(foot.update(now: 500 * ms) == nil)
    #expect(foot.release() == nil)
    // Too late for a double press, too early for a hold.
    #expect(foot.update(now: 500 * ms)! == (.press, 0))
    #expect(foot.press(at: 1_000 * ms) == nil)
    #expect(foot.update(now: 1_600 * ms)! == (.hold, 1_600 * ms))
    #expect(foot.release() == nil)
    #expect(foot.press(at: 2_000 * ms) == nil)
    #expect(foot.release() == nil)
    #expect(foot.press(at: 2_200 * ms)! == (.double, 2_200 * ms))
  }
}
