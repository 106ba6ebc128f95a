import Foundation
public import Operations
import SystemCalls

/// A file of cookies in the format of Netscape, which curl, wget and browser extensions share: a line
/// for each cookie, with seven fields between tabs.
///
/// Fields: domain, whether hosts below it get the cookie too, path, whether it is sent only over TLS,
/// when it expires in seconds since 1970 (0: at the end of the session), name, value. In front of the
/// domain, `#HttpOnly_` marks a cookie that scripts must not see. Other lines with `#` are comments.
enum CookieFile {
  /// A larger file is not read as a file of cookies.
  private static let limit = 16 << 20

  private static let head = """
    # Netscape HTTP Cookie File
    # https://curl.se/docs/http-cookies.html
    # opsh writes this file again when cookies change.


    """

  /// Reads a file.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: The cookies in their order; nil if there is no such file.
  /// - Throws: `FileError`, or `CookieFileError` for a line that is not a cookie.
  static func read(_ path: String) throws -> [Cookie]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw FileError(path: path, number: errno) }
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, number: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      if status.st_mode & S_IFMT == S_IFDIR { throw FileError(path: path, number: EISDIR) }
      throw FileError(path: path, number: EINVAL, explanation: "it is not a regular file")
    }
    guard status.st_size <= limit else { throw FileError(path: path, number: EFBIG) }
    let (bytes, error) = readFully(descriptor, atMost: limit)
    guard error == 0 else { throw FileError(path: path, number: error) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CookieFileError(path: path, line: nil, reason: "it is not UTF-8 text")
    }
    return try cookies(in: text, path: path)
  }

  private static func cookies(in text: String, path: String) throws(CookieFileError) -> [Cookie] {
    var cookies: [Cookie] = []
    // By scalars: a carriage return and the newline after it are one character.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      // Some editors begin a file with a byte order mark.
      let mark = index == 0 && line.first == "\u{FEFF}" ? 1 : 0
      let end = line.last == "\r" ? 1 : 0
      let line = String(String.UnicodeScalarView(line.dropFirst(mark).dropLast(end)))
      guard let cookie = try cookie(in: line, path: path, number: index + 1) else { continue }
      cookies.append(cookie)
    }
    return cookies
  }

  private static func cookie(
    in line: String, path: String, number: Int
  ) throws(CookieFileError) -> Cookie? {
    var line = line[...]
    let mark = "#HttpOnly_"
    let isHTTPOnly = line.hasPrefix(mark)
    if isHTTPOnly { line = line.dropFirst(mark.count) }
    guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { return nil }
    var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    // curl reads a line without its last field as a cookie with an empty value.
    if fields.count == 6 { fields.append("") }
    let flags = ["TRUE": true, "FALSE": false]
    func fault(_ reason: String) -> CookieFileError {
      CookieFileError(path: path, line: number, reason: reason)
    }
    guard fields.count == 7 else {
      throw fault("expected 7 fields separated by tabs, found \(fields.count)")
    }
    guard let hasSubdomains = flags[fields[1].uppercased()],
      let isSecure = flags[fields[3].uppercased()]
    else { throw fault("its second and fourth field must be TRUE or FALSE") }
    // Browser extensions write fractions.
    guard let seconds = Double(fields[4]), seconds >= 0, seconds.isFinite else {
      throw fault("its fifth field must be a number of seconds since 1970")
    }
    guard !fields[0].isEmpty, !fields[5].isEmpty else {
      throw fault("it needs a domain and a name")
    }
    return Cookie(
      name: fields[5], value: fields[6],
      domain: String(fields[0].drop { $0 == "." }).lowercased(), isHostOnly: !hasSubdomains,
      path: fields[2].hasPrefix("/") ? fields[2] : "/", isSecure: isSecure,
      isHTTPOnly: isHTTPOnly,
      expires: seconds == 0 ? nil : Date(timeIntervalSince1970: seconds))
  }

  /// Replaces a file, which only its owner can read then; at any time it is the old or the new one.
  ///
  /// - Parameters:
  ///   - cookies: The cookies in their order.
  ///   - path: The path of the file; not a symbolic link, which would be replaced.
  /// - Throws: `FileError`, also if the file must not be written; then it is unchanged.
  static func write(_ cookies: [Cookie], to path: String) throws(FileError) {
    guard access(path, W_OK) == 0 || errno == ENOENT else {
      throw FileError(path: path, number: errno)
    }
    let text = head + cookies.map(line).joined()
    let failure = FileReplacement.replace(path, with: Array(text.utf8))
    guard failure == 0 else { throw FileError(path: path, number: failure) }
  }

  private static func line(_ cookie: Cookie) -> String {
    let fields = [
      (cookie.isHTTPOnly ? "#HttpOnly_" : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      // 0 would be the end of the session.
      String(cookie.expires.map { Int(max(1, min($0.timeIntervalSince1970, 1e15))) } ?? 0),
      cookie.name,
      cookie.value,
    ]
    return fields.joined(separator: "\t") + "\n"
  }
}

/// The error of a file that is not a file of cookies.
public struct CookieFileError: CodedError, Sendable, Equatable {
  /// The path of the file.
  public let path: String
  /// The first line that is not a cookie, from 1; nil if the file is not text.
  public let line: Int?
  /// Why.
  let reason: String

  /// `bad-cookie-file`.
  public var code: String { "bad-cookie-file" }

  /// The path and the line; not what it holds, which may be a secret.
  public var message: String {
    let what = line.map { "line \($0) of '\(printable(path))' is not a cookie" }
    return (what ?? "'\(printable(path))' is not a file of cookies") + ": " + reason
  }
}
