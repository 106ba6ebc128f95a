import OpshLocking

/// A name as a number: equal names have the same one in the whole process.
///
/// Variables and commands are looked up by it, which needs neither hashing nor comparing of texts.
/// Names are numbered when they are read and stay numbered, as a process reads few different ones.
struct Symbol: Sendable, Hashable {
  /// The number, from 0.
  var index: Int { Int(number) }

  private let number: Int32

  private struct Table {
    var symbols: [String: Symbol] = [:]
    var names: [String] = []
  }

  private static let table = Locked(Table())

  /// The symbol of a name, which gets a number if it has none.
  init(_ name: String) {
    self = Self.table.withLock { table in
      if let known = table.symbols[name] { return known }
      let symbol = Symbol(index: table.names.count)
      table.symbols[name] = symbol
      table.names.append(name)
      return symbol
    }
  }

  /// The symbol with a number.
  init(index: Int) { number = Int32(index) }

  /// Returns the symbol of a name that has been read somewhere; nil for all others.
  static func known(_ name: String) -> Symbol? { table.withLock { $0.symbols[name] } }

  /// The name.
  var name: String { Self.table.withLock { $0.names[index] } }
}
