import Foundation
import OpshSupport

/// The version of a resource that a partial file has the beginning of, so that its rest, and no
/// other, can be requested (RFC 9110, 13.1.5 and 14).
struct DownloadSource: Equatable, Codable {
  /// The value for `If-Range`: a strong entity tag, or a date.
  let validator: String
  /// The number of bytes of the whole; nil if the server did not say.
  let length: Int?

  private let isDate: Bool
  /// Whether no other representation of the resource has the same validator.
  var isUnique: Bool { !isDate }
  /// The digest of the address that answered, which may hold secrets.
  private let address: String

  /// How much older than the response a date must be to identify one version: with 60 s it does
  /// not matter whether one clock made both (RFC 9110, 8.8.2.2).
  private static let leastAge = 60.0

  /// Creates the source of a whole response; nil if its rest could not be requested.
  ///
  /// - Parameters:
  ///   - head: The head of the response, with the status 200.
  ///   - now: The present date, for dates with two digits for the year.
  init?(_ head: HTTPResponseHead, now: Date) {
    let headers = head.headers
    // A range is one of the encoded bytes, and the file has the decoded ones.
    guard head.status == 200, Self.isPlain(headers),
      headers["Accept-Ranges"]?.lowercased() != "none"
    else { return nil }
    let tags = headers.values(of: "ETag")
    if let tag = tags.first {
      guard tags.count == 1, Self.isStrong(tag) else { return nil }
      (validator, isDate) = (tag, false)
    } else {
      guard let text = headers["Last-Modified"], let changed = HTTPDate.parse(text, now: now),
        let sent = headers["Date"].flatMap({ HTTPDate.parse($0, now: now) }),
        sent.timeIntervalSince(changed) >= Self.leastAge
      else { return nil }
      (validator, isDate) = (text, true)
    }
    length = headers["Transfer-Encoding"] == nil ? head.contentLength : nil
    address = Self.digest(of: head.url)
  }

  /// What an address is stored as.
  static func digest(of address: String) -> String {
    Data(SHA256.digest(of: Array(address.utf8))).base64EncodedString()
  }

  /// Returns why a response with the status 206 is not the rest of this version; nil if it is.
  ///
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - start: The position of the first byte that was requested.
  /// - Returns: The reason, as a clause.
  func mistake(in head: HTTPResponseHead, from start: Int) -> String? {
    let headers = head.headers
    guard Self.isPlain(headers) else { return "the part is encoded" }
    guard let text = headers["Content-Range"], let range = ContentRange(text) else {
      return "the server does not say which part it sends"
    }
    guard range.first == start else { return "the server sends the part from byte \(range.first)" }
    guard let length = length ?? range.length, (range.length ?? length) == length else {
      return "the whole has another length"
    }
    guard range.last == length - 1 else { return "the server sends less than the rest" }
    if let count = head.contentLength, headers["Transfer-Encoding"] == nil,
      count != length - start
    {
      return "the part has another length"
    }
    if isDate {
      // A part needs no date of its own (RFC 9110, 15.3.7), so the address must be the same too.
      let isSame = headers["Last-Modified"].map { $0 == validator } ?? true
      return isSame && Self.digest(of: head.url) == address ? nil : "it has changed"
    }
    return headers.values(of: "ETag") == [validator] ? nil : "it has changed"
  }

  /// The number of bytes of the whole after a part that has no mistake.
  func length(from head: HTTPResponseHead) -> Int? {
    length ?? head.headers["Content-Range"].flatMap(ContentRange.init)?.length
  }

  private static func isPlain(_ headers: HTTPHeaders) -> Bool {
    headers.values(of: "Content-Encoding").allSatisfy { $0.lowercased() == "identity" }
  }

  private static func isStrong(_ tag: String) -> Bool {
    tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
      && !tag.dropFirst().dropLast().contains("\"")
  }
}

/// The value of `Content-Range`: `bytes 5-9/10`, or `bytes 5-9/*` where the length is not known.
struct ContentRange: Equatable {
  let first: Int
  let last: Int
  let length: Int?

  /// Reads a value; nil if it is not of that form, or not possible.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard sides.count == 2, ends.count == 2,
      let first = ReceivedHeaderBlock.number(in: ends[0].utf8),
      let last = ReceivedHeaderBlock.number(in: ends[1].utf8), first <= last
    else { return nil }
    (self.first, self.last) = (first, last)
    if sides[1] == "*" {
      length = nil
    } else {
      guard let length = ReceivedHeaderBlock.number(in: sides[1].utf8), last < length else {
        return nil
      }
      self.length = length
    }
  }
}
