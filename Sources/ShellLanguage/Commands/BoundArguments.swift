/// The arguments of a call, by the names of what they were given for.
///
/// A call has few of them, and each is found by looking at one after another: a dictionary would
/// cost more than all the rest of binding.
struct BoundArguments: Sendable, Sequence {
  /// What was given for one name.
  struct Element: Sendable {
    /// The name of an argument or an option.
    let name: String
    /// What was given, in order.
    var arguments: [BoundArgument]
  }

  private var entries: [Element] = []

  /// Returns what was given for a name, in order; nil if the name was not mentioned.
  subscript(name: String) -> [BoundArgument]? {
    entries.first { $0.name == name }?.arguments
  }

  /// Returns an iterator over the names and what was given for them, in order.
  func makeIterator() -> IndexingIterator<[Element]> { entries.makeIterator() }

  /// Notes that a name was mentioned, whatever is given for it.
  mutating func mention(_ name: String) {
    if !entries.contains(where: { $0.name == name }) {
      entries.append(Element(name: name, arguments: []))
    }
  }

  /// Adds an argument to what was given for a name.
  mutating func append(_ argument: BoundArgument, for name: String) {
    if let index = entries.firstIndex(where: { $0.name == name }) {
      entries[index].arguments.append(argument)
    } else {
      entries.append(Element(name: name, arguments: [argument]))
    }
  }

  /// Forgets a name.
  mutating func remove(_ name: String) { entries.removeAll { $0.name == name } }
}
