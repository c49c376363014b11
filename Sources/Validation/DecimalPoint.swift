/// A number that was written with a decimal comma, with a point: `92.5` for `92,5`; nil if the text is nothing like that.
public func withDecimalPoint(_ text: some StringProtocol) -> String? {
  let parts = text.split(separator: ",", omittingEmptySubsequences: false)
  guard text.utf8.count <= 16, parts.count == 2,
    parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { "0"..."9" ~= $0 } })
  else { return nil }
  return parts.joined(separator: ".")
}
