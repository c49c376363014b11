import Control

/// The reference table of the namespace in `docs/osc.md`, made from its endpoints.
package enum ReferenceTable {
  /// The table in Markdown, without a final line break.
  package static func markdown(_ table: ParameterTable = .standard) -> String {
    var lines = [
      "| Address | Takes | Range | Default | What it does |",
      "| --- | --- | --- | --- | --- |",
    ]
    for endpoint in AddressSpace.endpoints(of: table) {
      let cells = [
        "`\(endpoint.address)`" + (endpoint.value == nil ? "" : " ⟳"),
        endpoint.types.isEmpty ? "–" : "`\(endpoint.types)`",
        endpoint.range, endpoint.standard, endpoint.summary,
      ]
      lines.append("| " + cells.map(withMinusSigns).joined(separator: " | ") + " |")
    }
    lines += [
      "| `/tactus/pong` | | | | Pushed: the answer to `ping`. |",
      "| `/pong` | | | | Pushed: the answer to `/ping`. |",
      "| `/tactus/now` | `…t` | | | Pushed: the answer to `time`. |",
      "| `/tactus/beat` | `iisf` | | | Pushed: bar, beat, role, strength, in a bundle dated with the time at which the click leaves the speakers. Subdivisions come with the role `subdivision`, layers with the role `layer` and the layer's number as a fifth argument, silent beats with strength 0. |",
      "| `/tactus/beat/ahead` | `iisf` | | | Pushed to connections (WebSocket, TCP): a beat as `beat` will report it, half a second ahead, in a bundle dated with the time at which it sounds. A beat that arises later is sent at once. |",
      "| `/tactus/beat/revoked` | | | | Pushed to the same: the beats that `beat/ahead` reported for the date of this message and later are cancelled. Those that still come are sent again. |",
      "| `/tactus/beat/lamp` | `i` | | | Pushed: 1 when a beat sounds, and 0 a little later, for a lamp. Silent beats leave it dark. |",
      "| `/tactus/hit` | `iiisffsi` | | | Pushed: bar, beat, part after the beat (0: the beat itself), drum (empty if it is not known), milliseconds late (negative is early), strength 0…1, what sounds there (`accent`, `beat`, `subdivision`, `layer`, or `grid` for a place of `listen/grid` where nothing does), the layer (0: none). |",
      "| `/tactus/take` | `ss…` | | | Pushed at the end of a take or section: the section's name, and sentences that sum it up. |",
      "| `/tactus/coach` | `ssffs` | | | Pushed in a section that is coached: its name; `up`, `down`, `again` or `done`; the tempo that follows; the spread in milliseconds, 0 where it is not known; a sentence. |",
      "| `/tactus/quiet` | `siiffs` | | | Pushed after silent bars in which you played: the section's name; beats in the window (−1 where the inputs are not calibrated), and beats; the tempo you played, and by how many per cent it was faster than the click, both 0 where they are not known; a sentence. |",
      "| `/tactus/learned` | `is` | | | Pushed: a note of an e-drum, and the drum to which it is assigned from now on. |",
      "| `/tactus/calibrating` | `s` | | | Pushed when a calibration needs the player: what to do. |",
      "| `/tactus/calibrated` | `sfff` | | | Pushed: the port that was calibrated, its lateness and spread in milliseconds, and the peak with which it hears the click. |",
      "| `/tactus/error` | `ss` | | | Pushed: the address that was refused, and why; warnings come with an empty address. |",
    ]
    return lines.joined(separator: "\n")
  }

  /// A cell with a minus sign instead of a hyphen before each negative number, except in code, which users
  /// copy.
  private static func withMinusSigns(_ cell: String) -> String {
    var (result, isCode) = ("", false)
    for character in cell {
      if character == "`" { isCode.toggle() }
      if !isCode, character.isNumber, result.last == "-", result.dropLast().last?.isLetter != true {
        result.removeLast()
        result.append("−")
      }
      result.append(character)
    }
    return result
  }
}
