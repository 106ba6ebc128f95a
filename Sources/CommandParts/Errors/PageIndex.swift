package import Operations
import OpshNetworking
package import ShellLanguage
import ShellOutput

/// Finds pages by the codes that errors show.
package struct PageIndex {
  private let byTopic: [String: ErrorPage]

  package init(_ pages: [ErrorPage]) {
    byTopic = Dictionary(pages.map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The page of a code as errors show it: parentheses after it, as in `file(2)`, and brackets
  /// around it are ignored, except for a status with a page of its own.
  package func page(_ code: String) -> ErrorPage? {
    let stem = Self.stem(of: code)
    if stem == "invalid-status-code", let status = Int(code.filter(\.isNumber)) {
      return byTopic[NetworkError.invalidStatusCode(status).topic] ?? byTopic[stem]
    }
    return byTopic[stem]
  }

  /// The page of an error, that of its cause if its code has several.
  package func page(for error: any CodedError) -> ErrorPage {
    guard error.topic != error.code, var page = page(error.topic) else {
      return page(for: error.code)
    }
    page.code = error.code
    return page
  }

  /// The page of an error's code, with the whole of it.
  package func page(for code: String) -> ErrorPage {
    if code.hasPrefix("file("), let number = Int32(code.dropFirst(5).dropLast()) {
      return .file(number)
    }
    var page = page(code) ?? .uncoded
    page.code = code
    return page
  }

  package static func stem(of code: String) -> String {
    let bare = code.hasPrefix("[") && code.hasSuffix("]") ? code.dropFirst().dropLast() : code[...]
    return String(bare.prefix { $0 != "(" })
  }
}
