import Foundation

/// An IP address, as it stands for the host in an address.
struct IPAddress: Equatable {
  /// Four or sixteen bytes, in the order of the network.
  private let bytes: [UInt8]

  /// Reads a host: an IPv6 address between brackets, or an IPv4 address in one of the forms of
  /// `inet_aton`, such as `127.1` and `0x7f000001`, which libcurl takes as well.
  ///
  /// - Parameter host: The host; nil results for a name.
  init?(host: String) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    // Most hosts are names, which need no closer look.
    guard isBracketed || host.utf8.first.map({ (0x30...0x39).contains($0) }) == true,
      let bytes = isBracketed
        ? Self.v6(String(host.dropFirst().dropLast())) : Self.v4(host, isStrict: false)
    else { return nil }
    self.bytes = bytes
  }

  /// Reads an address in its usual form.
  private init?(_ text: String) {
    guard let bytes = text.contains(":") ? Self.v6(text) : Self.v4(text, isStrict: true) else {
      return nil
    }
    self.bytes = bytes
  }

  private static func v4(_ text: String, isStrict: Bool) -> [UInt8]? {
    var address = in_addr()
    let isRead =
      isStrict ? inet_pton(AF_INET, text, &address) == 1 : inet_aton(text, &address) != 0
    return isRead ? withUnsafeBytes(of: address.s_addr) { Array($0) } : nil
  }

  private static func v6(_ text: String) -> [UInt8]? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    return withUnsafeBytes(of: address) { Array($0) }
  }

  /// Whether it is this machine: the loopback network, or the address that stands for none, to which
  /// Linux connects as to the loopback.
  var isLoopback: Bool {
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    let v4 = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    if v4.count == 4 { return v4[0] == 127 || v4 == [0, 0, 0, 0] }
    return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
  }

  /// Whether it is a certain address, or in a network, such as `192.0.2.0/24`.
  func isIn(_ network: some StringProtocol) -> Bool {
    let parts = network.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let other = IPAddress(String(parts[0])), other.bytes.count == bytes.count else {
      return false
    }
    // As in libcurl, what is no number of bits means all of them.
    let count = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
    guard count != 0 else { return self == other }
    guard (1...bytes.count * 8).contains(count) else { return false }
    return bytes.indices.allSatisfy { index in
      let bits = min(8, max(0, count - index * 8))
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
      return bytes[index] & mask == other.bytes[index] & mask
    }
  }
}
