import Realtime

/// Limits how many bytes of answers and errors each peer may cause. So a sender with a forged address can't flood a third
/// machine, and one program's mistakes don't fill the line.
///
/// A peer earns what it receives: ten bytes of answers and two bytes of errors for each byte that it sent. All ports of an
/// address of another machine share an account, because they are one victim if the address is forged. Each program of this
/// machine has its own account.
///
/// A client on a connection can't forge its address. It earns nothing, and its answers are limited per second.
///
/// Others can't forge the address of a program of this machine from outside. So it receives in full, without earning it: the
/// values at the start of a subscription, and lists: 64 kB at once, and then 8 kB a second; and its first errors, and then some
/// per second.
package struct OSCRateLimits {
  /// How many peers have their own accounts. All others share one.
  static let capacity = 1_024
  /// Bytes of errors that a peer may cause for each byte that it sends, and that subscribers may receive about programs of this
  /// machine for each byte that these send.
  static let refusalFactor = 2.0
  /// Bytes of answers that a peer may receive for each byte that it sends.
  package static let answerFactor = 10.0
  /// Bytes of answers that an address of another machine may receive at once, and per second: several times all values.
  static let remoteAnswers = 8_192.0
  /// The same for a program of this machine.
  static let localAnswers = 65_536.0
  /// Bytes of errors that an address of another machine may accumulate.
  static let remoteRefusals = 2_048.0
  /// Bytes of errors that a program of this machine may accumulate.
  static let localRefusals = 16_384.0
  /// Bytes that a program of this machine is credited at once: several times all values and all lists.
  package static let welcome = 65_536.0
  /// The same, per second.
  package static let welcomeRate = 8_192.0
  /// Bytes of errors that the programs of this machine may accumulate together. 64 subscribers can receive one such error
  /// uncut.
  static let sharedRefusals = 16_384.0
  /// Bytes of errors that the programs of this machine together receive about their own messages without earning them: at once,
  /// and per second.
  static let unearnedRefusals = 4_096.0
  static let unearnedRefusalRate = 1_024.0
  /// How long an unused account is kept. By then it is full again, like a new one.
  private static let retention = Duration.seconds(5)

  private struct Account {
    /// Limits answers per second, earned or not.
    var answers: TokenBucket
    /// Bytes of answers that were earned by sending.
    var earned: TokenBucket
    /// Bytes of errors that were earned by sending.
    var refusals: TokenBucket
    /// Bytes that a program of this machine is credited for the first values of subscriptions and for lists.
    var welcome: TokenBucket

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
  /// Bytes of errors that all programs of this machine together have earned: for errors that they cause, and for those about
  /// them that subscribers receive.
  private var errorsHere = TokenBucket(capacity: sharedRefusals, perSecond: 0, credit: 0, now: .distantPast)
  /// Bytes of errors that programs of this machine receive about their own messages without earning them.
  private var unearned = TokenBucket(
    capacity: unearnedRefusals, perSecond: unearnedRefusalRate, now: .distantPast)
  private var nextSweep = Instant.distantPast

  /// Credits a peer with `bytes` that it has sent.
  mutating func receive(_ bytes: Int, from peer: OSCPeer, now: Instant) {
    let refusals = Double(bytes) * OSCRateLimits.refusalFactor
    if peer.remoteAddress == nil { errorsHere.earn(refusals, now: now) }
    withAccount(of: peer, now) { account in
      account.refusals.earn(refusals, now: now)
      account.earned.earn(Double(bytes) * OSCRateLimits.answerFactor, now: now)
    }
  }

  /// Charges a peer for an answer of `bytes`.
  /// - Returns: false if its allowance does not cover the answer. Nothing is charged then.
  mutating func answer(_ bytes: Int, to peer: OSCPeer, now: Instant) -> Bool {
    withAccount(of: peer, now) { account in
      peer.isConnected
        ? account.answers.overdraw(Double(bytes), now: now) : account.answer(Double(bytes), now: now)
    }
  }

  /// Credits a program of this machine with `bytes` of answers, which it need not earn: the first values of a subscription, or a
  /// list. The credit may exceed the allowance, so that they are sent together.
  mutating func credit(_ bytes: Int, to peer: OSCPeer, now: Instant) {
    guard peer.remoteAddress == nil else { return }
    withAccount(of: peer, now) { account in
      guard account.welcome.overdraw(Double(bytes), now: now) else { return }
      account.earned.earn(Double(bytes), now: now)
    }
  }

  /// How many bytes of errors about its own messages a peer may receive now.
  mutating func room(forRefusalBy peer: OSCPeer, now: Instant) -> Int {
    if peer.isConnected { return max(0, Int(withAccount(of: peer, now) { $0.answers.available(now: now) })) }
    let earned = earnedRoom(of: peer, now)
    return peer.remoteAddress == nil ? max(earned, Int(unearned.available(now: now))) : earned
  }

  /// Charges a peer for an error of `bytes` about its own message.
  /// - Returns: false if its allowance does not cover the message. Nothing is charged then.
  mutating func refuse(_ bytes: Int, by peer: OSCPeer, now: Instant) -> Bool {
    if peer.isConnected { return withAccount(of: peer, now) { $0.answers.spend(Double(bytes), now: now) } }
    guard earnedRoom(of: peer, now) >= bytes else {
      return peer.remoteAddress == nil && unearned.spend(Double(bytes), now: now)
    }
    if peer.remoteAddress == nil { _ = errorsHere.spend(Double(bytes), now: now) }
    return withAccount(of: peer, now) { $0.refusals.spend(Double(bytes), now: now) }
  }

  private mutating func earnedRoom(of peer: OSCPeer, _ now: Instant) -> Int {
    let room = withAccount(of: peer, now) { $0.refusals.available(now: now) }
    return Int(peer.remoteAddress == nil ? min(room, errorsHere.available(now: now)) : room)
  }

  /// How many bytes of errors about a peer subscribers may receive now.
  mutating func room(forOverhearing peer: OSCPeer, now: Instant) -> Int {
    guard peer.remoteAddress == nil else { return room(forRefusalBy: peer, now: now) }
    return Int(errorsHere.available(now: now))
  }

  /// Charges for an error of `bytes` about a peer, which a subscriber receives.
  /// - Returns: false if the allowance does not cover the message. Nothing is charged then.
  mutating func overhear(_ bytes: Int, of peer: OSCPeer, now: Instant) -> Bool {
    guard peer.remoteAddress == nil else { return refuse(bytes, by: peer, now: now) }
    return errorsHere.spend(Double(bytes), now: now)
  }

  private mutating func withAccount<Result>(
    of peer: OSCPeer, _ now: Instant, _ body: (inout Account) -> Result
  ) -> Result {
    var owner = peer.remoteAddress.map(Owner.address) ?? .peer(peer)
    if accounts[owner] == nil, accounts.count >= OSCRateLimits.capacity {
      sweep(now)
      if accounts.count >= OSCRateLimits.capacity { owner = .others }
    }
    return body(&accounts[owner, default: OSCRateLimits.account(isRemote: peer.remoteAddress != nil, now)])
  }

  /// Deletes accounts that have been unused for `retention`, at most once per second.
  private mutating func sweep(_ now: Instant) {
    guard now >= nextSweep else { return }
    nextSweep = now + .seconds(1)
    accounts = accounts.filter { $0.value.answers.time + OSCRateLimits.retention > now }
  }

  private static func account(isRemote: Bool, _ now: Instant) -> Account {
    let answers = isRemote ? remoteAnswers : localAnswers
    let refusals = isRemote ? remoteRefusals : localRefusals
    return Account(
      answers: TokenBucket(capacity: answers, perSecond: answers, now: now),
      earned: TokenBucket(capacity: answers, perSecond: 0, credit: 0, now: now),
      refusals: TokenBucket(capacity: refusals, perSecond: 0, credit: 0, now: now),
      welcome: TokenBucket(capacity: welcome, perSecond: welcomeRate, now: now))
  }
}
