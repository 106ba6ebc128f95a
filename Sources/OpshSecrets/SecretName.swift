/// Decides whether a value is secret by its name: the only list of such names.
///
/// Names are compared by their words, so that `apiKey`, `api_key` and `X-Api-Key` are the same, and
/// `Keyboard`, `WWW-Authenticate` and `Surrogate-Key` are not secret. Digits are words of their own:
/// `password2` is as secret as `password`.
///
/// ```swift
/// SecretName.isSecret("X-Amz-Signature", in: .address)  // true
/// SecretName.isSecret("code", in: .body)                // false
/// ```
public enum SecretName: Sendable {
  /// The place of a name.
  public enum Place: Sendable {
    /// The name of a header.
    case header
    /// The name of a query field in an address, where `code` is the result of a login.
    case address
    /// The name of a form field or JSON key that is sent.
    case body
    /// The name of a variable or a parameter of a script, where `key` and `session` alone are
    /// ordinary words, and `password_file` names a file.
    case variable
  }

  /// The owner of a secret.
  public enum Kind: Sendable {
    /// It belongs to a person: a password, a token, a cookie.
    case person
    /// It belongs to a program or to one address: a key, a signature.
    case program
  }

  /// Returns whether the value of a name, which is percent-decoded, is secret.
  public static func isSecret(_ name: some StringProtocol, in place: Place) -> Bool {
    kind(of: name, in: place) != nil
  }

  /// Returns whether the value of a name in UTF-8, percent-decoded, is secret; fast for most names
  /// that are not.
  public static func isSecret(utf8 name: ArraySlice<UInt8>, in place: Place) -> Bool {
    mayBeSecret(name) && isSecret(String(decoding: name, as: UTF8.self), in: place)
  }

  /// Returns the kind of secret of a name's value; nil if it is not secret.
  public static func kind(of name: some StringProtocol, in place: Place) -> Kind? {
    guard mayBeSecret(name.utf8) else { return nil }
    let words = words(of: name)
    guard let end = words.lastIndex(where: { !$0.allSatisfy(\.isNumber) }) else { return nil }
    let last = words[end]
    if place == .address, words == ["code"] { return .program }
    if innocentEndings.contains(last) { return nil }
    if place == .variable, words == ["key"] || words == ["session"] || places.contains(last) {
      return nil
    }
    if words.contains(where: personal.contains) { return .person }
    let before = words[..<end].last
    if last == "token" || last.hasSuffix("token") {
      return before.map(paging.contains) == true || paging.contains(String(last.dropLast(5)))
        ? nil : .person
    }
    if ["session", "sid", "sessionid"].contains(last) { return .person }
    if words.contains("session"), last == "id" { return .person }
    if personalEndings.contains(where: last.hasSuffix) { return .person }
    if ["signature", "sig", "credential"].contains(last) { return .program }
    if last == "key", before == "master" { return .person }
    if last.hasSuffix("masterkey") { return .person }
    if last == "key" { return before.map(innocentKeys.contains) == true ? nil : .program }
    return keyEndings.contains { last.hasSuffix($0) } ? .program : nil
  }

  /// Words that make a name secret in any position.
  private static let personal: Set<String> = [
    "auth", "authorization", "cookie", "cookies", "credentials", "jwt", "passphrase", "passwd",
    "password", "pwd", "secret", "bearer", "verifier",
  ]
  /// Last words of names with information about a secret.
  private static let innocentEndings: Set<String> = [
    "length", "policy", "policies", "strength", "count", "type",
  ]
  /// Last words of the names of variables that say where a secret is.
  private static let places: Set<String> = [
    "file", "path", "folder", "name", "url", "variable", "sock", "socket",
  ]
  /// Ends of compound words.
  private static let personalEndings = [
    "password", "passwd", "secret", "authorization", "authentication", "cookie",
  ]
  private static let keyEndings = [
    "apikey", "accesskey", "secretkey", "privatekey", "clientkey", "javascriptkey",
    "authkey", "signingkey", "subscriptionkey", "signature",
  ]
  /// Words before `token` that name a position in a list or in a sequence of changes.
  private static let paging: Set<String> = [
    "page", "next", "continuation", "pagination", "sync", "cancel", "scroll",
  ]
  /// Words before `key` that name the stored or sent item.
  private static let innocentKeys: Set<String> = [
    "surrogate", "idempotency", "cache", "websocket", "socket", "partition", "sort", "primary",
    "foreign", "public", "routing", "object", "row", "message", "group", "index", "deduplication",
  ]

  /// Whether the bytes contain three letters that occur in some secret name.
  private static func mayBeSecret(_ name: some Sequence<UInt8>) -> Bool {
    var window: UInt32 = 0
    for byte in name {
      window = (window << 8 | UInt32(byte | 0x20)) & 0xFF_FFFF
      if stems.contains(window) { return true }
    }
    return false
  }

  /// The prefixes of the words above, for `mayBeSecret`.
  private static let stems: Set<UInt32> = Set(
    [
      "aut", "coo", "cre", "jwt", "pas", "pwd", "sec", "bea", "tok", "ses", "sid", "sig", "key",
      "cod", "ver",
    ]
    .map { $0.utf8.reduce(0) { $0 << 8 | UInt32($1) } })

  /// The words of a name in lower case, separated by signs, by capitals and by digits.
  private static func words(of name: some StringProtocol) -> [String] {
    var words: [String] = []
    var word = ""
    var previous: Character = " "
    let letters = Array(name)
    func end() {
      if !word.isEmpty { words.append(word.lowercased()) }
      word = ""
    }
    for (index, letter) in letters.enumerated() {
      guard letter.isLetter || letter.isNumber else {
        end()
        previous = " "
        continue
      }
      let next = index + 1 < letters.count ? letters[index + 1] : " "
      // `apiKey`; `AWSSecret`, in which the last capital starts a word; `password2`.
      let isCapital = letter.isUppercase && (!previous.isUppercase || next.isLowercase)
      if isCapital || letter.isNumber && previous.isLetter { end() }
      word.append(letter)
      previous = letter
    }
    end()
    return words
  }
}
