import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

@Suite struct SectionCompilerTests {
  private func song(_ title: String) throws -> PreparedSong {
    let plan = SongPlan(title: title, plans: [try section(title)])
    return SongLoader(
      read: { [maker = ClipMaker()] in try maker.read($0, $2) }, speak: { _, _, _ in Clip([1]) }
    ).prepareNow(
      plan, sampleRate: 48_000)
  }

  @Test func `A song is kept at two speeds, and freed when another is compiled`() throws {
    var compiler = SectionCompiler(bars: nil)
    let (first, second) = (try song("first"), try song("second"))
    weak let whole = compiler.sections(first, Rendition(), generation: 1)
    weak let half = compiler.sections(first, Rendition(percent: 50), generation: 1)
    #expect(whole != nil && half != nil)
    #expect(compiler.sections(first, Rendition(), generation: 1) === whole)
    _ = compiler.sections(second, Rendition(), generation: 1)
    #expect(whole == nil && half == nil)
  }
}
