import COpshTexts

/// A part of a text file that a writer edits: a name, and fields below it.
///
///     == NAME
///     field: a text in one line
///     field:
///       a text of several lines, each indented by two blanks
///     items:
///       one name :: its meaning, which may
///         continue in lines that are indented further
///       @list
///
/// A caller fills in `{{name}}` and, among items, what stands for a line `@list`.
package struct TextRecord: Sendable {
  package typealias Item = (name: String, text: String)

  /// A line that belongs to nothing, or names a field that the file does not have.
  package struct Mistake: Error {
    package let line: Int
    package let text: String
  }

  package let name: String
  private var fields: [String: [String]] = [:]

  private init(name: String) { self.name = name }

  /// Reads a file that is compiled in, such as `Help/topics`.
  ///
  /// - Parameters:
  ///   - file: Its folder and its name.
  ///   - fields: The names of the fields that a record may have.
  ///   - values: The texts for `{{name}}`.
  /// - Returns: Its records.
  package static func read(
    _ file: String, fields: [String], values: [String: String] = [:]
  ) -> [TextRecord] {
    var text = text(of: file)
    for (name, value) in values { text = text.replacing("{{\(name)}}", with: value) }
    do throws(Mistake) {
      return try records(of: text, fields: fields)
    } catch {
      preconditionFailure("line \(error.line) of '\(file)' belongs to no field: \(error.text)")
    }
  }

  /// The text of a file that is compiled in; empty if there is no such file.
  package static func text(of file: String) -> String { String(opsh_text_named(file)) }

  /// Returns the records of a text.
  package static func records(of text: String, fields: [String]) throws(Mistake) -> [TextRecord] {
    var records: [TextRecord] = []
    var field: String?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty {
      if line.hasPrefix("== ") {
        records.append(TextRecord(name: String(line.dropFirst(3))))
        field = nil
      } else if line.hasPrefix("  "), let field {
        records[records.count - 1].fields[field, default: []].append(String(line.dropFirst(2)))
      } else if let colon = line.firstIndex(of: ":"), fields.contains(String(line[..<colon])),
        !records.isEmpty
      {
        let name = String(line[..<colon])
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        records[records.count - 1].fields[name] = value.isEmpty ? [] : [String(value)]
        field = value.isEmpty ? name : nil
      } else {
        throw Mistake(line: index + 1, text: String(line))
      }
    }
    return records
  }

  /// Returns whether a field is there.
  package func has(_ field: String) -> Bool { fields[field] != nil }

  /// The sentences of a field; without it, nothing.
  package func prose(_ field: String) -> String {
    fields[field, default: []].joined(separator: " ")
  }

  /// The lines of a field as they are; without it, nothing.
  package func literal(_ field: String) -> String {
    fields[field, default: []].joined(separator: "\n")
  }

  /// The texts of a field between commas.
  package func list(_ field: String) -> [String] { Self.list(of: prose(field)) }

  /// The texts between commas.
  package static func list(of text: String) -> [String] {
    text.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  /// The items of a field.
  ///
  /// - Parameters:
  ///   - field: The name of the field.
  ///   - separator: What is put between the lines of an item.
  ///   - insert: Returns the items for a line `@list`.
  /// - Returns: The items in their order.
  package func items(
    _ field: String, separator: String = " ", insert: (_ list: String) -> [Item] = { _ in [] }
  ) -> [Item] {
    var items: [Item] = []
    for line in fields[field, default: []] {
      if line.hasPrefix("@") {
        items += insert(String(line.dropFirst()))
      } else if let range = line.firstRange(of: " :: ") {
        items.append((String(line[..<range.lowerBound]), String(line[range.upperBound...])))
      } else if !items.isEmpty {
        items[items.count - 1].text += separator + line.drop { $0 == " " }
      }
    }
    return items
  }
}
