import Foundation

/// What the command line asks for.
struct BenchmarkOptions {
  /// A command line that makes no sense.
  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  static let usage = "usage: opsh-bench [--json] [--quick] [--opsh PATH] [GROUP…]"

  var isJSON = false
  /// Only sizes that are done in seconds.
  var isQuick = false
  /// The release binary, for the groups that start it.
  var opsh: String?
  var selection = Selection()
  /// What the program was started for by itself.
  var engineCase: EngineCase?
  var networkCase: NetworkCase?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--quick": isQuick = true
      case "--opsh":
        guard let path = rest.popFirst() else { throw Misuse(description: Self.usage) }
        opsh = path
      case EngineCase.flag:
        guard let engineCase = EngineCase(arguments: Array(rest)) else {
          throw Misuse(description: "no such case")
        }
        self.engineCase = engineCase
        rest = []
      case NetworkCase.flag:
        guard let networkCase = NetworkCase(arguments: Array(rest)) else {
          throw Misuse(description: "no such case")
        }
        self.networkCase = networkCase
        rest = []
      case _ where argument.hasPrefix("-"):
        throw Misuse(description: "unknown option '\(argument)'\n\(Self.usage)")
      default:
        try selection.add(argument)
      }
    }
  }
}

/// Which benchmarks are to run: all, or those below given names.
struct Selection {
  static let groups = [
    "start", "language", "terminal", "engine", "network", "memory", "inspect",
  ]
  private var prefixes: [[Substring]] = []

  /// Adds a group, or the beginning of a benchmark's name, such as `engine/chain`.
  mutating func add(_ name: String) throws {
    let parts = name.split(separator: "/")
    guard let group = parts.first, Self.groups.contains(String(group)) else {
      throw BenchmarkOptions.Misuse(
        description: "unknown group '\(name)'; there are: \(Self.groups.joined(separator: ", "))")
    }
    prefixes.append(parts)
  }

  /// Whether something below that name was asked for.
  func reaches(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return prefixes.contains { $0.starts(with: parts) }
  }

  /// Whether the benchmark of that name was asked for, or one whose name begins so.
  func includes(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return prefixes.isEmpty
      || prefixes.contains { parts.starts(with: $0) }
  }
}
