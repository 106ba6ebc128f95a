import Foundation

/// The header fields of a request, as libmicrohttpd passes them on.
///
/// Versions before 1.0 pass a value on as a C string: what follows a zero byte in it is missing, and
/// `Host: localhost\0.evil` would be a request to `localhost`. But the strings stand where the head
/// was read, one after the other, with nothing between two fields but the line break, which was
/// overwritten with zeros. So whatever else stands there is what is missing. A value of several
/// lines, which they cut too, stands elsewhere.
struct ReceivedFields {
  /// What is known about the request.
  var head: RequestHead
  /// The whole head as it was read, if values end at a zero byte.
  var memory = UnsafeBufferPointer<CChar>(start: nil, count: 0)
  /// Where the value of the last field ends.
  private var valueEnd: UnsafePointer<CChar>?

  init(head: RequestHead) { self.head = head }

  /// Takes note of a field.
  mutating func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) {
    head.add(String(cString: name), value.map { String(cString: $0) } ?? "")
    check(until: name, longest: 2)
    valueEnd = value.map { $0 + strlen($0) }
  }

  /// Takes note of the end of the head, an empty line.
  mutating func end() {
    if let start = memory.baseAddress { check(until: start + memory.count, longest: 4) }
  }

  /// Checks that only the zeros of line breaks stand between the last field and the next one.
  private mutating func check(until next: UnsafePointer<CChar>, longest: Int) {
    guard let start = memory.baseAddress, let valueEnd else { return }
    let isBetween = start <= valueEnd && valueEnd < next && next <= start + memory.count
    guard isBetween, next - valueEnd <= longest,
      UnsafeBufferPointer(start: valueEnd, count: next - valueEnd).allSatisfy({ $0 == 0 })
    else {
      head.isCut = true
      return
    }
  }
}

@available(*, unavailable)
extension ReceivedFields: Sendable {}
