/// When a display flashes as a whole.
package enum Flash: String, CaseIterable, Sendable {
  case off, downbeat, beat
}
