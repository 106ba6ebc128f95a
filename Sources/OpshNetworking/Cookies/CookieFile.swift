import Foundation
public import Operations
import OpshSystemCalls

/// A file of cookies in the format of Netscape, which curl, wget and browser extensions share: a line
/// for each cookie, with seven fields between tabs.
///
/// Fields: domain, whether hosts below it get the cookie too, path, whether it is sent only over TLS,
/// when it expires in seconds since 1970 (0: at the end of the session), name, value. In front of the
/// domain, `#HttpOnly_` marks a cookie that scripts must not see. Other lines with `#` are comments.
/// A line that is not a cookie is skipped, as in curl, and stays in the file.
enum CookieFile {
  /// What a file holds.
  struct Contents {
    /// The cookies in their order.
    var cookies: [Cookie] = []
    /// The lines that are not cookies.
    var skipped: [SkippedLine] = []
  }

  /// A line that is not a cookie.
  struct SkippedLine {
    /// The line without its end.
    let bytes: [UInt8]
    /// The line's number, and why it is not a cookie.
    let fault: CookieFileError
  }

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
  /// - Returns: The content; nil if there is no such file.
  /// - Throws: `FileError`, or `CookieFileError` if nothing in it looks like a file of cookies.
  static func read(_ path: String) throws -> Contents? {
    let descriptor = open(path.forSystem, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
    return try contents(of: bytes, path: path)
  }

  private static func contents(of bytes: [UInt8], path: String) throws(CookieFileError) -> Contents
  {
    var contents = Contents()
    var looksRight = false
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      var text = String(decoding: bytes, as: UTF8.self)[...]
      // Some editors begin a file with a byte order mark.
      if index == 0, text.unicodeScalars.first == "\u{FEFF}" {
        text = text[text.unicodeScalars.index(after: text.startIndex)...]
      }
      let isHTTPOnly = text.hasPrefix(httpOnlyMark)
      if isHTTPOnly { text = text.dropFirst(httpOnlyMark.count) }
      if text.hasPrefix("#") {
        looksRight = looksRight || text.contains("HTTP Cookie File")
        continue
      }
      guard !text.allSatisfy(\.isWhitespace) else { continue }
      let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      do throws(Fault) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
          throw Fault("it is not UTF-8")
        }
        contents.cookies.append(try cookie(fields, isHTTPOnly: isHTTPOnly))
      } catch {
        looksRight = looksRight || fields.count >= 5 && flags[fields[1].uppercased()] != nil
        contents.skipped.append(
          SkippedLine(
            bytes: Array(bytes),
            fault: CookieFileError(path: path, line: index + 1, reason: error.reason)))
      }
    }
    // Writing cookies to a file of another kind would spoil it.
    if let first = contents.skipped.first, contents.cookies.isEmpty, !looksRight {
      throw first.fault
    }
    return contents
  }

  private static let httpOnlyMark = "#HttpOnly_"
  private static let flags = ["TRUE": true, "FALSE": false]

  private struct Fault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  private static func cookie(_ fields: [String], isHTTPOnly: Bool) throws(Fault) -> Cookie {
    // curl reads a line without its last field as a cookie with an empty value.
    let fields = fields.count == 6 ? fields + [""] : fields
    guard fields.count == 7 else {
      throw Fault("expected 7 fields separated by tabs, found \(fields.count)")
    }
    guard let hasSubdomains = flags[fields[1].uppercased()],
      let isSecure = flags[fields[3].uppercased()]
    else { throw Fault("its second and fourth field must be TRUE or FALSE") }
    // Browser extensions write fractions.
    let time = fields[4].trimmingCharacters(in: .whitespaces)
    guard let seconds = Double(time), seconds >= 0, seconds.isFinite else {
      throw Fault("its fifth field must be a number of seconds since 1970")
    }
    guard !fields[0].isEmpty, !fields[5].isEmpty else {
      throw Fault("it needs a domain and a name")
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
  ///   - contents: What the file is to hold; lines that are not cookies come last.
  ///   - path: The path of the file; not a symbolic link, which would be replaced.
  /// - Throws: `FileError`, also if the file must not be written; then it is unchanged.
  static func write(_ contents: Contents, to path: String) throws(FileError) {
    guard access(path.forSystem, W_OK) == 0 || errno == ENOENT else {
      throw FileError(path: path, number: errno)
    }
    let text = head + contents.cookies.map(line).joined()
    let rest = contents.skipped.flatMap { $0.bytes + [UInt8(ascii: "\n")] }
    let failure = FileReplacement.replace(path, with: Array(text.utf8) + rest)
    guard failure == 0 else { throw FileError(path: path, number: failure) }
  }

  private static func line(_ cookie: Cookie) -> String {
    let fields = [
      (cookie.isHTTPOnly ? httpOnlyMark : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      // 0 would be the end of the session.
      String(cookie.expires.map { Int(max(1, min($0.timeIntervalSince1970, 1e15))) } ?? 0),
      cookie.name,
      cookie.value,
    ]
    return fields.joined(separator: "\t") + "\n"
  }
}

/// The error of a line that is not a cookie, or of a file that is not a file of cookies.
public struct CookieFileError: CodedError, Sendable, Equatable {
  /// The path of the file.
  public let path: String
  /// The first line that is not a cookie, from 1.
  public let line: Int
  /// Why.
  let reason: String

  /// `bad-cookie-file`.
  public var code: String { "bad-cookie-file" }

  /// The path and the line; not what it holds, which may be a secret.
  public var message: String {
    "line \(line) of '\(printable(path))' is not a cookie: \(reason)"
  }
}
