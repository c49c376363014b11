#if Listening
  import CAubio
  import Glibc

  /// aubio's functions. They are loaded when a microphone is first used: libaubio depends on more than a hundred libraries, and
  /// loading them would delay each start of the program.
  struct Aubio: Sendable {
    /// Loads the library when it is first read; nil if libaubio is not installed.
    static let shared = Aubio()

    typealias NewOnset = @convention(c) (UnsafePointer<CChar>?, UInt32, UInt32, UInt32) -> OpaquePointer?
    typealias Act = @convention(c) (OpaquePointer?) -> Void
    typealias SetNumber = @convention(c) (OpaquePointer?, Float) -> UInt32
    typealias Detect =
      @convention(c) (OpaquePointer?, UnsafePointer<fvec_t>?, UnsafeMutablePointer<fvec_t>?) -> Void
    typealias LastOnset = @convention(c) (OpaquePointer?) -> UInt32
    typealias NewVector = @convention(c) (UInt32) -> UnsafeMutablePointer<fvec_t>?
    typealias DeleteVector = @convention(c) (UnsafeMutablePointer<fvec_t>?) -> Void

    let newOnset: NewOnset
    let deleteOnset: Act
    let setSpacing: SetNumber
    let setSilence: SetNumber
    let reset: Act
    let detect: Detect
    let lastOnset: LastOnset
    let newVector: NewVector
    let deleteVector: DeleteVector

    private init?() {
      // Stays open: the functions are used until the program ends.
      guard let library = dlopen("libaubio.so.5", RTLD_NOW | RTLD_LOCAL) else { return nil }
      func load<Function>(_ name: String, as _: Function.Type) -> Function? {
        dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
      }
      guard let newOnset = load("new_aubio_onset", as: NewOnset.self),
        let deleteOnset = load("del_aubio_onset", as: Act.self),
        let setSpacing = load("aubio_onset_set_minioi_s", as: SetNumber.self),
        let setSilence = load("aubio_onset_set_silence", as: SetNumber.self),
        let reset = load("aubio_onset_reset", as: Act.self),
        let detect = load("aubio_onset_do", as: Detect.self),
        let lastOnset = load("aubio_onset_get_last", as: LastOnset.self),
        let newVector = load("new_fvec", as: NewVector.self),
        let deleteVector = load("del_fvec", as: DeleteVector.self)
      else { return nil }
      (self.newOnset, self.deleteOnset, self.setSpacing) = (newOnset, deleteOnset, setSpacing)
      (self.setSilence, self.reset, self.detect) = (setSilence, reset, detect)
      (self.lastOnset, self.newVector, self.deleteVector) = (lastOnset, newVector, deleteVector)
    }
  }
#endif
