import Control
import Sound

/// How the conductor gets at sound sets.
let readSound: SoundReader = { name, sampleRate in
  let source = try SoundSource(name)
  return (source.name, try source.clips(sampleRate: sampleRate))
}
