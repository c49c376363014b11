import Glibc
import OSC
import Testing

@Suite struct OSCPatternTests {
  @Test(arguments: [
    ("/a/b", "/a/b"), ("/a/?", "/a/b"), ("/*/b", "/a/b"), ("/a*", "/a"), ("/*a", "/bba"), ("/*", "/abc"),
    ("/[a-c]x", "/bx"), ("/[!a-c]x", "/dx"), ("/[-a]", "/-"), ("/[a-]", "/-"), ("/[a!]", "/!"),
    ("/{one,two}", "/two"), ("/{one,}x", "/x"), ("/{a,ab}c", "/abc"), ("/v{olume,}/*", "/volume/beat"),
    ("/*a*b*c*", "/xxaxxbxxcxx"), ("/subdivision/[2-4]", "/subdivision/3"), ("/**", "/abc"), ("/", "/"),
  ])
  func whatShouldMatchMatches(_ pattern: String, _ address: String) throws {
    #expect(try OSCPattern(pattern).matches(address))
  }

  @Test(arguments: [
    ("/a/b", "/a/c"), ("/*", "/a/b"), ("/?", "/"), ("/?", "/ab"), ("/a/", "/a"), ("/a", "/a/"),
    ("/[!a]", "/"),
    ("/[a-c]", "/d"), ("/{one,two}", "/three"), ("/*", "a"), ("/A", "/a"), ("/*b", "/bc"), ("//a", "/a"),
  ])
  func whatShouldNotMatchDoesNot(_ pattern: String, _ address: String) throws {
    #expect(try !OSCPattern(pattern).matches(address))
  }

  @Test(arguments: [
    "a", "", "/[a", "/{a", "/a]", "/a}", "/[]", "/[!]", "/[z-a]", "/{a*,b}", "/{a,{b}}", "/a,b", "/{a/b}",
  ])
  func malformedPatternsAreRefused(_ pattern: String) {
    #expect(throws: OSCFault.self) { try OSCPattern(pattern) }
  }

  @Test func patternsBeyondTheLimitAreRefused() throws {
    let longest = "/" + String(repeating: "*", count: OSCPattern.lengthLimit - 1)
    #expect(try OSCPattern(longest).matches("/a"))
    #expect(throws: OSCFault.self) { try OSCPattern(longest + "*") }
  }

  @Test func theCostOfTheWorstPatternIsBounded() throws {
    let address = "/" + String(repeating: "a", count: 255)
    let stars = String(repeating: "*a", count: 127)
    let choices = String(repeating: "{a,aa}", count: 42)
    let texts = ["/" + stars + "b", "/" + choices + "b", "/*{a,aa}*{a,aa}*?*?*?*[!b]*b"]
    let patterns = try texts.map { try OSCPattern($0) }
    // The thread's own time, which a busy machine doesn't lengthen.
    let began = processorTime()
    for pattern in patterns { #expect(!pattern.matches(address)) }
    #expect(processorTime() - began < 0.5)
  }

  /// Seconds that this thread has computed.
  private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test func onlyAPatternWithoutWildcardsIsLiteral() throws {
    #expect(try OSCPattern("/a/b-c").isLiteral)
    #expect(try !OSCPattern("/a/?").isLiteral)
  }
}
