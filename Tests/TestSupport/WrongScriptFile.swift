import Foundation

/// A script in `Tests/WrongScripts`, with the one error that the check must find in it.
public struct WrongScriptFile: CustomStringConvertible, Sendable {
  /// The name of the file.
  public let name: String
  /// The whole text; its first line says the rest.
  public let text: String
  /// Where the error is, from 1.
  public let place: (line: Int, column: Int)
  /// The code of the error.
  public let code: String
  /// A part of the help; empty where any help will do.
  public let help: String

  /// How test runs name it.
  public var description: String { name }

  /// All of them; one whose first line cannot be read has place 0:0.
  public static let all: [WrongScriptFile] = {
    let folder = URL(fileURLWithPath: PackageFolder.path + "/Tests/WrongScripts")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".opsh") }.sorted().compactMap { name in
      let bytes = try? Data(contentsOf: folder.appendingPathComponent(name))
      return bytes.map { WrongScriptFile(name: name, text: String(decoding: $0, as: UTF8.self)) }
    }
  }()

  init(name: String, text: String) {
    self.name = name
    self.text = text
    let head = text.prefix { $0 != "\n" }.wholeMatch(of: /# (\d+):(\d+) \[(.+?)\] ?(.*)/)?.output
    place = (head.flatMap { Int($0.1) } ?? 0, head.flatMap { Int($0.2) } ?? 0)
    code = head.map { String($0.3) } ?? ""
    help = head.map { String($0.4) } ?? ""
  }
}
