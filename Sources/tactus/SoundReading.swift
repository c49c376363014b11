import Control
import Sound

/// Loads sound sets for the conductor.
let readSound: SoundReader = { name, sampleRate in
  do {
    let source = try SoundSource(name)
    return (source.name, try source.clips(sampleRate: sampleRate))
  } catch { throw UnreadableSound(name, error) }
}
