import Control
import Sound

/// Loads sound sets for the conductor.
let readSound: SoundReader = { name, voice, sampleRate in
  do {
    let source = try SoundSource(name)
    let rate = max(voice.speed, CountingVoice.leastRate)
    // A voice that hangs, or none, must not keep anyone waiting.
    let speech = Speech(patience: .seconds(2))
    let clips = try source.clips(sampleRate: sampleRate) { number in
      try speech.clip(number, gain: 1, speed: rate, language: voice.language, sampleRate: sampleRate)
    }
    return (source.name, clips)
  } catch { throw UnreadableSound(name, error) }
}
