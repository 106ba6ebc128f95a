import CommandParts
import Foundation
import OpshNetworking
package import ShellLanguage
import ShellSession
import OpshSystemCalls
import OpshTerminal

/// What `--auth` says: how to log in, and where the secret is.
///
/// The secret itself never stands there, where a history, a saved script and a list of processes
/// would show it.
struct AuthenticationWords {
  let scheme: HTTPAuthentication.Scheme
  /// Empty with a token.
  let user: String
  let source: HTTPAuthentication.Source

  /// Reads `SCHEME:USER:SOURCE`, or `bearer:SOURCE`.
  ///
  /// - Parameter text: The value of the option; it is not repeated in errors, because it may hold
  ///   the secret by mistake.
  /// - Throws: `UnplacedError` of the page `bad-auth`.
  init(_ text: String) throws(UnplacedError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let scheme = HTTPAuthentication.Scheme(rawValue: String(parts[0])) else {
      throw Self.mistake("it must begin with basic:, digest: or bearer:")
    }
    self.scheme = scheme
    var rest = parts.count == 2 ? parts[1] : ""
    if scheme == .bearer {
      user = ""
    } else {
      // A name has no colon (RFC 7617).
      guard let colon = rest.firstIndex(of: ":"), colon != rest.startIndex else {
        throw Self.mistake("the name of the user is missing after '\(scheme.rawValue):'")
      }
      user = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    guard let source = Self.source(rest) else {
      throw Self.mistake("it must end with the place of the secret: env:NAME or file:PATH")
    }
    self.source = source
  }

  private static func source(_ text: Substring) -> HTTPAuthentication.Source? {
    if text.hasPrefix("file:"), text != "file:" { return .file(String(text.dropFirst(5))) }
    guard text.hasPrefix("env:") else { return nil }
    let name = text.dropFirst(4)
    return name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) == nil
      ? nil : .environment(String(name))
  }

  private static func mistake(_ reason: String) -> UnplacedError {
    UnplacedError(.badAuth, "the value of '--auth' can't be read: \(reason)")
  }
}

extension RequestParameters {
  static let auth = Option<String?>(
    "auth",
    help: "login basic:USER:FROM, digest:USER:FROM or bearer:FROM; FROM is env:NAME or file:PATH"
  )
  .checkedEach(help: CodedPages.authenticationHelp) { (text) throws(UnplacedError) in
    _ = try AuthenticationWords(text)
  }
  .settingHeader("Authorization")

  /// The beginnings of its values.
  static let authCompletions = ParameterCompletion(auth) { _, _ in
    [
      CompletionCandidate("basic:", summary: "name and password", appendsSpace: false),
      CompletionCandidate("digest:", summary: "the same, not sent as it is", appendsSpace: false),
      CompletionCandidate("bearer:", summary: "token", appendsSpace: false),
    ]
  }
}

extension Invocation {
  /// The longest secret, in bytes; more is a mistake, such as another file.
  private static let longestSecret = 16_000

  /// The credentials that the call asks for, with the secret as it is now.
  func readAuthentication() throws -> HTTPAuthentication? {
    guard let text = call[RequestParameters.auth] else { return nil }
    let option = RequestParameters.auth
    let words = try AuthenticationWords(text)
    var source = words.source
    let secret: String
    switch source {
    case .environment(let name):
      guard let value = outside.environment[name] else {
        throw call.failure(
          .missingSecret, "the environment has no variable '\(name)'", at: option,
          help: "set it before opsh starts: export \(name)=…")
      }
      secret = try checked(value, of: "the variable '\(name)'")
    case .file(let path):
      let place = outside.place(of: path, for: .reading)
      secret = try checked(try readSecret(at: place, path), of: "'\(path)'")
      source = .file(place)
    }
    return HTTPAuthentication(words.scheme, user: words.user, secret: secret, source: source)
  }

  private func readSecret(at place: String, _ path: String) throws -> String {
    let option = RequestParameters.auth
    let bytes: [UInt8]
    do {
      let part = try InputFile.read(
        (path, place), input: -1, limit: Self.longestSecret, checkEnd: { try run.pump() })
      guard case .bytes(let held) = part else {
        throw UnplacedError(.tooLarge, "it is larger than a secret may be")
      }
      bytes = held
    } catch let error as UnplacedError {
      if error.page.code == ErrorPage.tooLarge.code {
        throw call.failure(
          .missingSecret, "'\(path)' is too long for a secret: at most 16 kB", at: option)
      }
      throw call.failure(error.page, "'\(path)': \(error.message)", at: option)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw call.failure(
        .missingSecret, "'\(path)' holds no secret: it is not text in UTF-8", at: option)
    }
    var status = stat()
    if stat(place.forSystem, &status) == 0, status.st_mode & 0o044 != 0,
      outside.network.noteFile(place)
    {
      var warning = call.failure(
        .readableSecret,
        "'\(path)' can be read by others (mode \(String(status.st_mode & 0o777, radix: 8)))",
        at: option, help: "chmod 600 \(SystemShellQuoting.quoted(path))")
      warning.severity = .warning
      screen.report(warning)
    }
    return text
  }

  /// A secret without the line end that editors and 'echo' add.
  private func checked(_ text: String, of what: String) throws -> String {
    var text = text
    // A carriage return and the newline after it are one character.
    while let last = text.last, last.isNewline { text.removeLast() }
    let problem =
      text.isEmpty
      ? "is empty"
      : text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        ? "holds a line break or another control character; a secret is one line" : nil
    guard let problem else { return text }
    throw call.failure(.missingSecret, "\(what) \(problem)", at: RequestParameters.auth)
  }
}

extension ErrorPage {
  package static let badAuth = ErrorPage(
    "bad-auth", "The value of '--auth' can't be read",
    "It is a scheme (basic, digest or bearer), the name of the user unless the scheme is bearer, and "
      + "the place of the secret, with colons between them. The place is env:NAME for a variable of "
      + "the environment, or file:PATH. The secret itself is never part of a command.",
    help: CodedPages.authenticationHelp, wrong: "get /auth/basic --auth basic:opsh:practice",
    right: "get /auth/basic --auth basic:opsh:env:HOME; wait --any-outcome", proof: .checking)

  package static let missingSecret = ErrorPage(
    "missing-secret", "There is no secret where '--auth' says",
    "The variable is not set, or it or the file is empty or not one line of text. Line ends at "
      + "the end do not count.", help: "set the variable before opsh starts, or write the file",
    wrong: "get /auth/bearer --auth bearer:env:NO_SUCH_VARIABLE",
    right: "get /auth/bearer --auth bearer:env:HOME\nwait --any-outcome", proof: .running)

  package static let readableSecret = ErrorPage(
    "readable-secret", "Others can read the file of a secret",
    "The request is sent all the same. Containers often give secrets in such files.",
    help: "take the right to read it from others: chmod 600 FILE",
    wrong: "(a file of mode 644)",
    right: "get /auth/basic --auth basic:opsh:env:HOME; wait --any-outcome")
}
