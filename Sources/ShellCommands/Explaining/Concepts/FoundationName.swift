import Foundation
import OpshTexts

/// A public name of Foundation's operation classes, and what of opsh it leads to.
package struct FoundationName: Sendable {
  /// The class that has it.
  package let type: String
  /// The name as Swift writes it, with its argument labels.
  package let name: String
  /// What to type in opsh for it.
  package let form: String
  /// The words after `help` of the page that explains it.
  package let page: String

  /// The name without its argument labels, in small letters.
  private var base: String { String(name.prefix { $0 != "(" }).lowercased() }

  /// Whether a word is this name: with or without its class and its argument labels.
  package func isNamed(_ word: String) -> Bool {
    var word = word.lowercased()
    if word.hasPrefix("ns") { word.removeFirst(2) }
    for type in ["operation.", "blockoperation.", "operationqueue.", "\\."]
    where word.hasPrefix(type) {
      if type != "\\.", type != self.type.lowercased() + "." { continue }
      word.removeFirst(type.count)
      break
    }
    let labels = word.firstIndex(of: "(").map { word[$0...] } ?? ""
    guard labels.isEmpty || labels == "()" || name.lowercased().hasSuffix(labels) else {
      return false
    }
    return word.prefix { $0 != "(" } == base
  }

  /// Whether a word is a part of the name.
  package func contains(_ word: String) -> Bool { base.contains(word.lowercased()) }

  /// The public methods and properties of `Operation`, `BlockOperation` and `OperationQueue`.
  package static let all: [FoundationName] = TextRecord.read("Help/foundation", fields: ["names"])
    .flatMap { type in
      type.items("names").map { name, text in
        let parts = text.components(separatedBy: " :: ")
        return FoundationName(type: type.name, name: name, form: parts[0], page: parts[1])
      }
    }
}
