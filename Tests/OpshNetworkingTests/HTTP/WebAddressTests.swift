import Testing

@testable import OpshNetworking

@Suite("Web addresses")
struct WebAddressTests {
  @Test(
    "References are resolved by the rules of RFC 3986",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
      (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
      ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://h/x", "https://h/x"),
      ("a b", "http://a/b/c/a%20b"),
    ])
  func references(reference: String, expected: String) throws {
    let base = try WebAddress(parsing: "http://a/b/c/d;p?q")
    #expect(try base.resolving(reference).text == expected)
  }

  @Test(
    "An address in normal form keeps its text, and its parts make up the text",
    arguments: [
      "http://a/", "http://a/b", "https://a.b-c.example/x/y.z?q=%41&r=a.b/.c", "http://a:8080/",
      "http://127.0.0.1:65535/2.3/questions?site=x&page=1", "http://a/?", "http://a/b?c?d",
      "http://a/a..b/c.", "https://a:80/x", "http://a:443/x", "http://a/%2e%2E/x",
    ])
  func normalForm(url: String) throws {
    let address = try WebAddress(parsing: url)
    #expect(address.text == url)
    #expect(try WebAddress(parsing: address.root).isSamePlace(as: address))
    #expect(address.target == address.path + (address.query.map { "?" + $0 } ?? ""))
    #expect(try WebAddress(parsing: url + "#x") == address)
  }

  @Test("A label of a host has up to 63 characters")
  func longestLabel() throws {
    let label = String(repeating: "x", count: 63)
    #expect(try WebAddress(parsing: "http://\(label).example/").host == label + ".example")
    #expect(throws: NetworkError.self) { try WebAddress(parsing: "http://\(label)x.example/") }
  }

  @Test(
    "Loopback addresses are recognized, and similar addresses are not",
    arguments: [
      ("http://localhost/", true), ("http://a.localhost/", true), ("http://127.9.0.1/", true),
      ("http://[::1]/", true), ("http://[::]/", true), ("http://[::2]/", false),
      ("http://localhost./", true), ("http://127.1/", true), ("http://0x7f000001/", true),
      ("http://2130706433/", true), ("http://2130706432.example/", false),
      ("http://[::ffff:127.0.0.1]/", true), ("http://[::ffff:10.0.0.1]/", false),
      ("http://127.0.0.1.example.com/", false),
      ("http://localhost.example.com/", false), ("http://10.0.0.1/", false),
    ])
  func loopback(url: String, expected: Bool) throws {
    #expect(try WebAddress(parsing: url).isLoopback == expected)
  }
}
