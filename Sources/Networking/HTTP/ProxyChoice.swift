import Foundation
import Secrets

/// Says which proxy libcurl takes for an address, from the same variables of the environment, so
/// that an error can name it.
enum ProxyChoice {
  /// The proxy with what is secret in its address masked; nil where none is asked.
  static func proxy(
    for address: WebAddress,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    guard !address.isLoopback else { return nil }
    // An empty variable is none.
    let environment = environment.filter { !$0.value.isEmpty }
    let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    guard !isExcepted(address.host, by: exceptions) else { return nil }
    // Not HTTP_PROXY: a web server sets that to what a client sends as the header 'Proxy'.
    let names =
      ["\(address.scheme)_proxy"] + (address.scheme == "https" ? ["HTTPS_PROXY"] : [])
      + ["all_proxy", "ALL_PROXY"]
    return names.lazy.compactMap { environment[$0] }.first.map { printable(masked($0)) }
  }

  private static func isExcepted(_ host: String, by list: String) -> Bool {
    if list == "*" { return true }
    return list.split { $0 == "," || $0 == " " }.contains { entry in
      let name = entry.drop { $0 == "." }.lowercased()
      return host == name || host.hasSuffix("." + name)
    }
  }

  /// Masks the name and the password; an address without a scheme has them too.
  private static func masked(_ proxy: String) -> String {
    guard !proxy.contains("://") else { return SecretText.mask(proxy) }
    let scheme = "http://"
    return String(SecretText.mask(scheme + proxy).dropFirst(scheme.count))
  }
}
