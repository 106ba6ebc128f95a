/// The names of one kind that a script makes, sorted so that it can be told quickly which of them
/// there are at a place: long scripts make and use thousands.
struct MadeNames {
  /// A place in the order in which statements run and names are made.
  struct Moment {
    let statement: Int
    let order: Int
  }

  /// Statements that make something, with how much of it there is at a moment.
  private struct Tally {
    private struct Entry {
      let moment: Moment
      let isRepeated: Bool
      let count: Int
      /// The counts up to and with this entry: of those that run once, and of the others.
      var once = 0
      var repeated = 0
    }

    private var entries: [Entry] = []
    private var isSorted = true

    mutating func add(_ moment: Moment, isRepeated: Bool, count: Int = 1) {
      if let last = entries.last, last.moment > moment { isSorted = false }
      append(Entry(moment: moment, isRepeated: isRepeated, count: count))
    }

    private mutating func append(_ entry: Entry) {
      var entry = entry
      entry.once = (entries.last?.once ?? 0) + (entry.isRepeated ? 0 : entry.count)
      entry.repeated = (entries.last?.repeated ?? 0) + (entry.isRepeated ? entry.count : 0)
      entries.append(entry)
    }

    /// How much was made before a moment, or is made at all.
    ///
    /// What can run again counts in the whole of the statement that it belongs to.
    mutating func total(before moment: Moment?) -> (once: Int, repeated: Int) {
      guard let moment else { return (entries.last?.once ?? 0, entries.last?.repeated ?? 0) }
      if !isSorted { sort() }
      let once = count { $0 < moment }
      let repeated = count { $0.statement <= moment.statement }
      return (
        once == 0 ? 0 : entries[once - 1].once, repeated == 0 ? 0 : entries[repeated - 1].repeated
      )
    }

    private mutating func sort() {
      let unsorted = entries
      entries.removeAll(keepingCapacity: true)
      for entry in unsorted.sorted(by: { $0.moment < $1.moment }) { append(entry) }
      isSorted = true
    }

    /// How many entries at the beginning fulfil what no later one does.
    private func count(while isEarly: (Moment) -> Bool) -> Int {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if isEarly(entries[middle].moment) { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private var anything = Tally()
  private var exact: [String: Tally] = [:]
  /// The exact names by what stands before one of their dashes: counters leave them out.
  private var given: [String: Tally] = [:]
  private var numbered: [String: Tally] = [:]

  mutating func add(_ maker: NameLedger.Maker, order: Int) {
    let moment = Moment(statement: maker.statement, order: order)
    switch maker.name {
    case .anything: anything.add(moment, isRepeated: maker.isRepeated)
    case .exact(let name):
      exact[name, default: Tally()].add(moment, isRepeated: maker.isRepeated)
      for dash in name.indices where name[dash] == "-" && dash > name.startIndex {
        given[String(name[..<dash]), default: Tally()].add(moment, isRepeated: maker.isRepeated)
      }
    case .numbered(let word, let count):
      numbered[word, default: Tally()].add(
        moment, isRepeated: maker.isRepeated, count: maker.isRepeated ? 1 : count)
    }
  }

  /// Whether a name, or any name at all, was made before a moment.
  mutating func hasMade(_ name: String, before moment: Moment?) -> Bool {
    let unknown = anything.total(before: moment)
    if unknown.once + unknown.repeated > 0 { return true }
    guard let known = exact[name]?.total(before: moment) else { return false }
    return known.once + known.repeated > 0
  }

  /// How far a counter has come before a moment.
  ///
  /// - Parameters:
  ///   - word: What stands before the number.
  ///   - moment: The moment; nil is the end of everything.
  /// - Returns: How many names it has given, how many it has left out because they were given
  ///   otherwise, and whether it can have come to any number.
  mutating func counted(
    _ word: String, before moment: Moment?
  ) -> (count: Int, given: Int, isEndless: Bool) {
    let total = numbered[word]?.total(before: moment) ?? (once: 0, repeated: 0)
    if total.repeated > 0 { return (total.once, 0, true) }
    let taken = given[word]?.total(before: moment) ?? (once: 0, repeated: 0)
    return (total.once, taken.once + taken.repeated, false)
  }
}

extension MadeNames.Moment {
  fileprivate static func > (left: Self, right: Self) -> Bool { right < left }

  fileprivate static func < (left: Self, right: Self) -> Bool {
    (left.statement, left.order) < (right.statement, right.order)
  }
}
