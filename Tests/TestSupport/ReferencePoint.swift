import Foundation

/// A point that one of the reference posts makes, with what a reader types and must see.
///
/// They are the files of `Tests/Points`. A heading `#: POINT` begins a point; what follows is a
/// script, in which comments say what must be seen:
/// - `#> TEXT`: a line of the output has this text; the texts are seen in their order.
/// - `#status N`: the exit status, 0 if it is not given.
/// - `#tested TITLE`: another test shows the point, for example one with a terminal.
/// - `#absent REASON`: Foundation on Linux makes the point impossible.
public struct ReferencePoint: CustomStringConvertible, Sendable {
  /// The file, without its extension.
  public let post: String
  /// The point.
  public let title: String
  /// The script, with the comments.
  public let script: String
  /// What lines of the output must contain, in order; each run of white space is one space.
  public private(set) var seen: [String] = []
  /// The exit status.
  public private(set) var status: Int32 = 0
  /// The title of the test that shows the point instead of a script.
  public private(set) var test: String?
  /// Why there is no such thing on Linux.
  public private(set) var absence: String?

  /// How test runs name it.
  public var description: String { "\(post): \(title)" }

  /// All of them, in the order of the files.
  public static let all: [ReferencePoint] = {
    let folder = URL(fileURLWithPath: PackageFolder.path + "/Tests/Points")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".opsh") }.sorted().flatMap { name in
      let bytes = (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()
      let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n#: ")
      return parts.dropFirst().map { ReferencePoint(post: String(name.dropLast(5)), text: $0) }
    }
  }()

  init(post: String, text: String) {
    self.post = post
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    title = String(lines[0])
    script = lines.dropFirst().joined(separator: "\n") + "\n"
    for line in lines.dropFirst() {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { continue }
      switch words[0] {
      case "#>": seen.append(Self.spaced(words[1]))
      case "#status": status = Int32(words[1]) ?? -1
      case "#tested": test = String(words[1])
      case "#absent": absence = String(words[1])
      default: break
      }
    }
  }

  /// The first text that the output does not have after those before it.
  public func missing(in output: String) -> String? {
    var lines = output.split(separator: "\n").map(Self.spaced)[...]
    for text in seen {
      guard let place = lines.firstIndex(where: { $0.contains(text) }) else { return text }
      lines = lines[lines.index(after: place)...]
    }
    return nil
  }

  private static func spaced(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
