/// The layouts in `remotes/` that are generated from the table of addresses.
package enum ReadyMadeLayouts {
  /// The files' names and contents.
  package static var files: [(name: String, bytes: [UInt8])] {
    [
      ("open-stage-control.json", Array(OpenStageControlLayout.text(of: Surface.pages).utf8)),
      ("touchosc.tosc", TouchOSCLayout.bytes(of: Surface.pages)),
    ]
  }
}
