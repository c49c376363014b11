import Engine

/// Reads a sound set, a built-in one or a folder, for a sample rate; returns its full name, and its clips.
public typealias SoundReader =
  @Sendable (_ name: String, _ sampleRate: Int) throws -> (name: String, clips: ClipSet)

/// A sound set that has been read, or why not.
public struct LoadedClips: Sendable {
  let wish: SoundLoader.Wish
  let sound: Result<(name: String, clips: ClipSet), any Error>
}

/// Reads sound sets away from the conductor, so that a large file delays nothing.
struct SoundLoader {
  struct Wish: Sendable {
    var name: String
    var sampleRate: Int
    /// Told what was wrong.
    var refuse: (@Sendable (String) -> Void)?
  }

  private var wishes: LatestWish<Wish>
  var isReading: Bool { wishes.isBusy }

  /// - Parameters:
  ///   - queue: where sets are read.
  ///   - updates: where what was read goes.
  init(_ read: @escaping SoundReader, on queue: any WorkQueue, into updates: UpdateQueue) {
    wishes = LatestWish(on: queue) { wish in
      let sound = Result { try read(wish.name, wish.sampleRate) }
      updates.push(Request(.clips(LoadedClips(wish: wish, sound: sound))))
    }
  }

  /// Reads a set, or has it wait for its turn.
  mutating func load(_ wish: Wish) { wishes.add(wish) }

  /// Reads what is wished for at another sample rate, else the set that is in use.
  mutating func changeRate(to sampleRate: Int, inUse name: String) {
    if wishes.waiting != nil {
      wishes.waiting!.sampleRate = sampleRate
    } else if !isReading {
      load(Wish(name: name, sampleRate: sampleRate))
    }
    // What is being read turns out to be at the wrong rate when it arrives.
  }

  /// What was being read has arrived: reads the next.
  mutating func advance() { wishes.advance() }
}
