import Foundation
import OpshSecrets

/// Chooses the proxy for an address by the environment variables that libcurl reads.
///
/// libcurl would read them from the process.
package enum ProxyChoice: Sendable {
  /// The names and passwords for proxies in the environment, which must be masked in all output.
  package static func credentials(in environment: [String: String]) -> [String] {
    ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].flatMap {
      name -> [String] in
      guard let proxy = environment[name], !proxy.isEmpty else { return [] }
      return SecretText.credentials(in: proxy.contains("://") ? proxy : "http://" + proxy)
    }
  }

  /// The proxy of a scheme, empty for none, and the hosts that are reached without it.
  static func setting(
    for scheme: String, environment: [String: String]
  ) -> (proxy: String, exceptions: String) {
    let exceptions = first(of: ["no_proxy", "NO_PROXY"], in: environment)
    return (
      variable(for: scheme, environment: environment).flatMap { environment[$0] } ?? "",
      exceptions.flatMap { environment[$0] } ?? ""
    )
  }

  /// The name of the variable that sets the proxy of a scheme; nil for no proxy.
  static func variable(for scheme: String, environment: [String: String]) -> String? {
    // Not HTTP_PROXY: web servers set that to the value of a client's 'Proxy' header.
    let upper = scheme == "https" ? ["HTTPS_PROXY"] : []
    return first(of: ["\(scheme)_proxy"] + upper + ["all_proxy", "ALL_PROXY"], in: environment)
  }

  /// The protocol that a proxy's address names, if it is not one that libcurl speaks to proxies.
  static func unsupportedScheme(of proxy: String) -> String? {
    guard let end = proxy.firstRange(of: "://")?.lowerBound else { return nil }
    let scheme = proxy[..<end].lowercased()
    return ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme)
      ? nil : scheme
  }

  /// The first variable that is set; an empty one is not.
  private static func first(of names: [String], in environment: [String: String]) -> String? {
    names.first { environment[$0]?.isEmpty == false }
  }

  /// The proxy with secrets masked; nil if none is used.
  static func proxy(for address: WebAddress, environment: [String: String]) -> String? {
    guard !address.isLoopback else { return nil }
    let (proxy, exceptions) = setting(for: address.scheme, environment: environment)
    guard !proxy.isEmpty, !isExcepted(address.host, by: exceptions) else { return nil }
    return printable(masked(proxy))
  }

  /// Whether requests name the whole address to a proxy: a proxy of HTTP is asked so, except for
  /// HTTPS, where it only connects.
  static func isAsked(for address: WebAddress, environment: [String: String]) -> Bool {
    guard address.scheme == "http", let proxy = proxy(for: address, environment: environment) else {
      return false
    }
    return !proxy.lowercased().hasPrefix("socks")
  }

  /// As libcurl's `Curl_check_noproxy` does since 7.86: an address by networks, a name by its end.
  private static func isExcepted(_ host: String, by list: String) -> Bool {
    if list == "*" { return true }
    let entries = list.split { $0 == "," || $0 == " " || $0 == "\t" }
    if let address = IPAddress(host: host) { return entries.contains { address.isIn($0) } }
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    return entries.contains { entry in
      var name = entry.lowercased()[...]
      if name.hasPrefix(".") { name = name.dropFirst() }
      if name.hasSuffix(".") { name = name.dropLast() }
      return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
  }

  /// Masks the name and the password, also in an address without a scheme.
  private static func masked(_ proxy: String) -> String {
    guard !proxy.contains("://") else { return SecretText.mask(proxy) }
    let scheme = "http://"
    return String(SecretText.mask(scheme + proxy).dropFirst(scheme.count))
  }
}
