import Control
import Sound

/// Loads sound sets for the conductor. Throws `UnreadableSound`.
let readSound: SoundReader = { name, voice, sampleRate in
  do {
    let source = try SoundSource(name)
    let rate = max(voice.speed, CountingVoice.leastRate)
    // The conductor waits for the sound set, so limit the time for a hanging voice.
    let speech = Speech(patience: .seconds(2))
    let clips = try source.clips(sampleRate: sampleRate) { number in
      try speech.clip(number, gain: 1, speed: rate, language: voice.language, sampleRate: sampleRate)
    }
    return (source.name, clips)
  } catch { throw UnreadableSound(name, error) }
}
