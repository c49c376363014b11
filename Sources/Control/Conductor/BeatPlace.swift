/// The bar and beat of the last beat as they are told: from 1, the bars of a count-in 0 and below; 0 0 before there is one.
package struct BeatPlace: Equatable, Sendable {
  package var bar = 0
  package var beat = 0

  package init() {}

  package init(bar: Int, beat: Int) { (self.bar, self.beat) = (bar, beat) }
}
