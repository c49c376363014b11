import Realtime

/// How many bytes of answers and errors each peer may cause, so that nobody who forges a sender can have a third party
/// flooded, and nobody's mistakes fill the line.
///
/// Everybody earns what it is sent: ten bytes of answers and two bytes of errors for each byte that came. The senders of
/// another machine's address share an account, as they are one victim if they are forged. Programs of this machine have an
/// account each.
///
/// Who has a connection can't be forged: it earns nothing, and is bounded a second.
///
/// The values that a subscription begins with are no answer to a query: a program of this machine, which can't be forged from
/// outside, gets them whole, a few times in a row and then every few seconds.
package struct OSCAllowances {
  /// How many peers have an account of their own; more share one.
  static let capacity = 1_024
  /// Bytes of errors that a peer may cause for each byte that it sends, and that others may overhear of the programs of this
  /// machine for each byte that these send.
  static let refusalFactor = 2.0
  /// Bytes of answers that a peer gets for each byte that it sends.
  package static let answerFactor = 10.0
  /// Bytes of answers that a remote address gets at once, and a second: three times all values.
  static let remoteAnswers = 8_192.0
  /// The same for a program of this machine.
  static let localAnswers = 65_536.0
  /// Bytes of errors that a remote address may save up.
  static let remoteRefusals = 2_048.0
  /// Bytes of errors that a program of this machine may save up.
  static let localRefusals = 16_384.0
  /// Bytes that a program of this machine is credited at once: all values, five times.
  package static let welcome = 16_384.0
  /// The same, a second.
  package static let welcomeRate = 1_024.0
  /// Bytes of errors that the programs of this machine may save up together: 64 subscribers overhear one uncut.
  static let sharedRefusals = 16_384.0
  /// How long an account is kept that nobody uses. It is full again by then, as a new one would be.
  private static let retention = Duration.seconds(5)

  private struct Account {
    /// Bounds answers a second, earned or not.
    var answers: Allowance
    /// Answers that were earned by sending.
    var earned: Allowance
    /// Errors that were earned by sending.
    var refusals: Allowance
    /// What a subscriber of this machine is credited.
    var welcome: Allowance

    mutating func answer(_ bytes: Double, now: Instant) -> Bool {
      guard earned.available(now: now) >= bytes, answers.spend(bytes, now: now) else { return false }
      return earned.spend(bytes, now: now)
    }
  }

  private enum Owner: Hashable {
    case address(IPAddress)
    case peer(OSCPeer)
    case others
  }

  private var accounts: [Owner: Account] = [:]
  /// Errors that all programs of this machine together have earned: what they cause, and what others overhear of them.
  private var errorsHere = Allowance(capacity: sharedRefusals, perSecond: 0, credit: 0, now: .distantPast)
  private var nextSweep = Instant.distantPast

  /// Notes that a peer has sent so many bytes.
  mutating func receive(_ bytes: Int, from peer: OSCPeer, now: Instant) {
    let refusals = Double(bytes) * OSCAllowances.refusalFactor
    if peer.remoteAddress == nil { errorsHere.earn(refusals, now: now) }
    withAccount(of: peer, now) { account in
      account.refusals.earn(refusals, now: now)
      account.earned.earn(Double(bytes) * OSCAllowances.answerFactor, now: now)
    }
  }

  /// Whether a peer may have an answer of so many bytes; then it has had it.
  mutating func answer(_ bytes: Int, to peer: OSCPeer, now: Instant) -> Bool {
    withAccount(of: peer, now) { account in
      peer.isConnected
        ? account.answers.overdraw(Double(bytes), now: now) : account.answer(Double(bytes), now: now)
    }
  }

  /// Lets a program of this machine that has subscribed have so many bytes of answers without earning them. They may overdraw the
  /// allowance, so that they come together.
  mutating func credit(_ bytes: Int, to peer: OSCPeer, now: Instant) {
    guard peer.remoteAddress == nil else { return }
    withAccount(of: peer, now) { account in
      guard account.welcome.overdraw(Double(bytes), now: now) else { return }
      account.earned.earn(Double(bytes), now: now)
    }
  }

  /// How many bytes of errors a peer may cause.
  mutating func room(forRefusalBy peer: OSCPeer, now: Instant) -> Int {
    if peer.isConnected { return max(0, Int(withAccount(of: peer, now) { $0.answers.available(now: now) })) }
    let room = withAccount(of: peer, now) { $0.refusals.available(now: now) }
    return Int(peer.remoteAddress == nil ? min(room, errorsHere.available(now: now)) : room)
  }

  /// Notes that a peer's fault has caused so many bytes; returns whether it may.
  mutating func refuse(_ bytes: Int, by peer: OSCPeer, now: Instant) -> Bool {
    guard room(forRefusalBy: peer, now: now) >= bytes else { return false }
    if peer.isConnected { return withAccount(of: peer, now) { $0.answers.spend(Double(bytes), now: now) } }
    if peer.remoteAddress == nil { _ = errorsHere.spend(Double(bytes), now: now) }
    return withAccount(of: peer, now) { $0.refusals.spend(Double(bytes), now: now) }
  }

  /// How many bytes of errors others may overhear of a peer.
  mutating func room(forOverhearing peer: OSCPeer, now: Instant) -> Int {
    guard peer.remoteAddress == nil else { return room(forRefusalBy: peer, now: now) }
    return Int(errorsHere.available(now: now))
  }

  /// Notes that somebody overhears so many bytes of a peer's fault; returns whether it may.
  mutating func overhear(_ bytes: Int, of peer: OSCPeer, now: Instant) -> Bool {
    guard peer.remoteAddress == nil else { return refuse(bytes, by: peer, now: now) }
    return errorsHere.spend(Double(bytes), now: now)
  }

  private mutating func withAccount<Result>(
    of peer: OSCPeer, _ now: Instant, _ body: (inout Account) -> Result
  ) -> Result {
    var owner = peer.remoteAddress.map(Owner.address) ?? .peer(peer)
    if accounts[owner] == nil, accounts.count >= OSCAllowances.capacity {
      sweep(now)
      if accounts.count >= OSCAllowances.capacity { owner = .others }
    }
    return body(&accounts[owner, default: OSCAllowances.account(isRemote: peer.remoteAddress != nil, now)])
  }

  /// Forgets who has been quiet for long, once a second at most.
  private mutating func sweep(_ now: Instant) {
    guard now >= nextSweep else { return }
    nextSweep = now + .seconds(1)
    accounts = accounts.filter { $0.value.answers.time + OSCAllowances.retention > now }
  }

  private static func account(isRemote: Bool, _ now: Instant) -> Account {
    let answers = isRemote ? remoteAnswers : localAnswers
    let refusals = isRemote ? remoteRefusals : localRefusals
    return Account(
      answers: Allowance(capacity: answers, perSecond: answers, now: now),
      earned: Allowance(capacity: answers, perSecond: 0, credit: 0, now: now),
      refusals: Allowance(capacity: refusals, perSecond: 0, credit: 0, now: now),
      welcome: Allowance(capacity: welcome, perSecond: welcomeRate, now: now))
  }
}
