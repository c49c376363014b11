import TestBench
import Testing

struct FrameClockTests {
  @Test func `The clock goes on past the wrap of 32 bits`() {
    var clock = FrameClock()
    #expect(clock.extend(0xffff_fff0) == 0xffff_fff0)
    #expect(clock.extend(0x10) == 0x1_0000_0010)
    #expect(clock.extend(0x7fff_ffff) == 0x1_7fff_ffff)
    #expect(clock.extend(0xffff_fffe) == 0x1_ffff_fffe)
    #expect(clock.extend(0) == 0x2_0000_0000)
  }

  @Test func `A frame time that is set back is no wrap`() {
    var clock = FrameClock()
    _ = clock.extend(0xffff_fff0)
    #expect(clock.extend(0x400) == 0x1_0000_0400)
    #expect(clock.extend(0xffff_fff0) == 0xffff_fff0)
  }
}
