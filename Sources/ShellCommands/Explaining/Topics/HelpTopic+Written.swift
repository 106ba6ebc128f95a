import BuildCommands
import CommandParts
import OpshNetworking
import OpshTexts
import ShellLanguage
import ShellSession

extension HelpTopic {
  /// The topics of `Help/topics`.
  static let written: [HelpTopic] = TextRecord.read(
    "Help/topics",
    fields: ["heading", "introduction", "items", "examples", "further", "index"], values: values
  ).map { record in
    HelpTopic(
      name: record.name, heading: record.prose("heading"),
      introduction: record.prose("introduction"),
      items: record.items("items", insert: { list($0) }).map { ($0, $1) },
      examples: record.items("examples", separator: "\n").map { .init($1, $0) },
      further: record.list("further"), isIndex: record.has("index"))
  }

  /// A page for each kind of object that one command prints with `--json`.
  static let objects: [HelpTopic] = ObjectKind.all.map { kind in
    HelpTopic(
      name: "json " + kind.type, heading: "Object '\(kind.type)' of --json",
      introduction: "Printed by \(plain(kind.commands)).",
      items: kind.keys.map { (name: $0.name, meaning: plain($0.meaning)) }, further: ["json"],
      isIndex: true)
  }

  /// The figures in the texts.
  private static let values: [String: String] = [
    "body-limit": Value.size(Int64(TransferOptions.usualMaximumBodySize)).text,
    "held-file": Value.size(Int64(InputFile.longestHeld)).text,
    "input-limit": Value.size(Int64(InputFile.limit)).text,
    "headers-limit": ByteCount(HTTPResponseHead.maximumSize).description,
    "header-limit": ByteCount(HTTPResponseHead.longestLine).description,
    "transfers": "\(CurlTransport.Configuration().maximumConcurrentTransfers)",
    "timeout-status": "\(SessionEnd.timeoutStatus)",
    "json-page": "json " + ObjectKind.all[0].type,
  ]

  /// The items that the program knows, for a line `@list`.
  private static func list(_ name: String) -> [TextRecord.Item] {
    switch name {
    case "keywords":
      Keyword.allCases.filter { $0 != .else && $0 != .catch }.map { ($0.usage, $0.summary) }
    case "operators": ExpressionWord.allCases.map { ($0.usage, $0.summary) }
    case "functions": BuiltinFunction.all.map { ($0.usage, $0.summary) }
    case "properties-of-operations": properties(.operations)
    case "properties-of-settings": properties(.settings)
    case "properties-of-requests": properties(.requests)
    case "kinds-of-objects": ObjectKind.all.map { ($0.type, "of \(plain($0.commands))") }
    case "options": arguments(BuildOptions.all + [Invocation.json])
    case "options-of-requests": arguments(RequestParameters.forReading)
    default: preconditionFailure("'Help/topics' names the list '@\(name)', which does not exist")
    }
  }

  /// The properties of operations on a page; those in a row that share a meaning stand in one line.
  private static func properties(_ page: OperationProperty.Page) -> [TextRecord.Item] {
    var items: [TextRecord.Item] = []
    for property in OperationProperty.all where property.page == page {
      if let last = items.last, last.text == property.meaning {
        items[items.count - 1].name += ", " + property.name
      } else {
        items.append((property.name, property.meaning))
      }
    }
    return items
  }

  private static func arguments(_ declarations: [any OptionDeclaration]) -> [TextRecord.Item] {
    HelpPage(CommandSignature(path: [], CommandDeclaration(summary: "", options: declarations)))
      .arguments
      .map { ($0.usage, $0.help) }
  }

  /// A text of the reference page, which marks code as Markdown does.
  private static func plain(_ text: String) -> String { text.replacing("`", with: "'") }
}
