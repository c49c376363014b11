import MusicTime

/// A layer of a section. Its volume is in the section's gains.
package struct LayerPlan: Hashable, Sendable {
  /// Its number, 1…8.
  package let number: Int
  package let layer: Layer

  /// - Precondition: the number is in `Layer.numbers`.
  package init(_ number: Int, _ layer: Layer) {
    precondition(Layer.numbers ~= number)
    (self.number, self.layer) = (number, layer)
  }

  /// The MIDI note.
  var note: UInt8 { UInt8(layer.note ?? LayerPlan.notes[number - 1]) }

  /// General MIDI percussion that the roles don't use: claves, side stick, agogos, bongos, timbales.
  private static let notes = [75, 37, 67, 68, 60, 61, 65, 66]
}
