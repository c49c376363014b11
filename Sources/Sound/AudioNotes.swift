import CSndfile

/// The metadata of a file. WAV files contain markers and the position on a DAW's timeline, FLAC files a title and a comment.
package struct AudioNotes: Equatable, Sendable {
  /// A named place in the file.
  package struct Marker: Equatable, Sendable {
    /// Counted from the file's first frame.
    package let frame: Int
    package let name: String

    package init(frame: Int, name: String) {
      self.frame = frame
      self.name = name
    }
  }

  /// In the order of their frames.
  package var markers: [Marker] = []
  /// Frames from midnight to the file's first frame, as the broadcast extension (EBU Tech 3285) counts them; nil for none.
  package var timeReference: Int?
  package var title = ""
  package var comment = ""

  package init() {}
}

/// Writes the metadata with libsndfile. Call it before the first sample.
extension AudioNotes {
  /// Writes the markers and the time reference of a WAV file.
  func write(into file: OpaquePointer) {
    if !markers.isEmpty { writeMarkers(into: file) }
    if let timeReference { writeTimeReference(timeReference, into: file) }
  }

  /// Writes the title and the comment of a FLAC file.
  func writeTags(into file: OpaquePointer) {
    if !title.isEmpty { sf_set_string(file, Int32(SF_STR_TITLE), title) }
    if !comment.isEmpty { sf_set_string(file, Int32(SF_STR_COMMENT), comment) }
  }

  /// libsndfile writes only the places of markers; a chunk with a list of labels contains the names.
  private func writeMarkers(into file: OpaquePointer) {
    // SF_CUES is declared for 100 cues; the library reads as many as the count says.
    let size = MemoryLayout<UInt32>.size + markers.count * MemoryLayout<SF_CUE_POINT>.stride
    let cues = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    defer { cues.deallocate() }
    cues.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    cues.storeBytes(of: UInt32(markers.count), as: UInt32.self)
    for (index, marker) in markers.enumerated() {
      var cue = SF_CUE_POINT()
      cue.indx = Int32(index + 1)
      cue.position = UInt32(clamping: marker.frame)
      cue.fcc_chunk = 0x6174_6164  // "data"
      cue.sample_offset = UInt32(clamping: marker.frame)
      let place = cues + MemoryLayout<UInt32>.size + index * MemoryLayout<SF_CUE_POINT>.stride
      place.copyMemory(from: &cue, byteCount: MemoryLayout<SF_CUE_POINT>.size)
    }
    sf_command(file, Int32(SFC_SET_CUE), cues, Int32(size))
    var labels = labels
    labels.withUnsafeMutableBytes { bytes in
      var chunk = SF_CHUNK_INFO()
      withUnsafeMutableBytes(of: &chunk.id) { $0.copyBytes(from: Array("LIST".utf8)) }
      chunk.id_size = 4
      chunk.datalen = UInt32(bytes.count)
      chunk.data = bytes.baseAddress
      sf_set_chunk(file, &chunk)
    }
  }

  /// A list of associated data: for each marker `labl`, the length, the marker's number and its name, which ends in zero.
  private var labels: [UInt8] {
    var list = Array("adtl".utf8)
    for (index, marker) in markers.enumerated() {
      // Programs read up to 255 bytes.
      let name = shortened(marker.name, to: 255)
      // libsndfile pads a chunk to a multiple of four bytes: with this text no padding is needed.
      let text = Array(name.utf8) + [UInt8](repeating: 0, count: 4 - name.utf8.count % 4)
      list += Array("labl".utf8) + bytes(UInt32(4 + text.count)) + bytes(UInt32(index + 1)) + text
    }
    return list
  }

  private func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private func writeTimeReference(_ frames: Int, into file: OpaquePointer) {
    var info = SF_BROADCAST_INFO()
    copy(title, into: &info.description)
    copy("Tactus", into: &info.originator)
    info.time_reference_low = UInt32(truncatingIfNeeded: frames)
    info.time_reference_high = UInt32(truncatingIfNeeded: frames >> 32)
    sf_command(file, Int32(SFC_SET_BROADCAST_INFO), &info, Int32(MemoryLayout<SF_BROADCAST_INFO>.size))
  }

  /// Copies as much of a text as a field holds.
  private func copy<Field>(_ text: String, into field: inout Field) {
    withUnsafeMutableBytes(of: &field) { $0.copyBytes(from: shortened(text, to: $0.count - 1).utf8) }
  }

  /// The characters of a text that fit into a number of bytes.
  private func shortened(_ text: String, to bytes: Int) -> String {
    var end = text.startIndex
    while end < text.endIndex {
      let next = text.index(after: end)
      guard text.utf8.distance(from: text.startIndex, to: next) <= bytes else { break }
      end = next
    }
    return String(text[..<end])
  }
}
