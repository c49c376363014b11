import MusicTime
import Testing

@testable import Control
@testable import Engine

@Suite struct LayerClipsTests {
  private func clips(_ sample: Float) -> ClipSet {
    let clip = Clip([sample])
    return ClipSet(accent: clip, beat: clip, subdivision: clip, cue: clip)
  }

  /// A sound set that has the name of the beats' default was taken for theirs.
  @Test(arguments: ["sine", "square"]) func beatsKeepTheirSoundWhateverSoundALayerHas(name: String) throws {
    let (beats, layer) = (clips(0.5), clips(0.25))
    try withExtendedLifetime((beats, layer)) {
      var settings = Settings()
      try settings.set(.layer(1, Layer(text: "5 over bar, sound \(name)")))
      var compiler = SectionCompiler(bars: nil)
      let sections = compiler.sections(
        settings, sampleRate: 48_000, clips: beats, sounds: [name: layer], generation: 1)
      let section = sections.all[0]
      #expect(section.clips.clip(.beat, beat: 1, bar: 1)[0] == 0.5)
      #expect(section.layers[0].clips.clip(.beat, beat: 1, bar: 1)[0] == 0.25)
    }
  }
}
