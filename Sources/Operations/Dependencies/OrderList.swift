/// Lists in which it can be said at once which of two elements stands first, and which take new
/// elements anywhere.
///
/// There is one list around each whole number that was needed, its anchor, and the lists follow one
/// another as their anchors do. So *every* number has a place without taking any memory: that of
/// its anchor. Only the elements put before or behind one are stored.
///
/// Inside a list the elements carry labels that rise. Where two neighbours leave no room for a
/// label between them, the smallest stretch around them that is sparse enough is labelled anew;
/// the wider the stretch the sparser it has to be, which makes that O(log n) per insertion,
/// amortised (M. Bender et al., *Two Simplified Algorithms for Maintaining Order in a List*, 2002).
struct OrderList {
  /// An element that is stored, until it is removed.
  struct Node: Equatable {
    fileprivate(set) var index: UInt32

    /// No element.
    static let none = Node(index: 0)
  }

  /// Where an element stands at the moment; later insertions may change the label.
  struct Position: Comparable {
    let anchor: Int
    let label: Int

    /// The place of a number of which nothing is stored.
    ///
    /// It is constant, because an anchor is never labelled anew.
    init(of anchor: Int) {
      self.init(anchor: anchor, label: OrderList.middle)
    }

    fileprivate init(anchor: Int, label: Int) {
      self.anchor = anchor
      self.label = label
    }

    /// The same place seen from the other end, so that what stood last stands first.
    var mirrored: Position { Position(anchor: -anchor, label: -label) }

    static func < (left: Position, right: Position) -> Bool {
      left.anchor != right.anchor ? left.anchor < right.anchor : left.label < right.label
    }
  }

  private struct Slot {
    let anchor: Int
    var label: Int
    /// The neighbours in the list, of which 0 is none; in a free slot `next` is the next free one.
    var previous: UInt32
    var next: UInt32
  }

  /// The label of every anchor, between those of what stands before it, which are not negative,
  /// and those of what stands behind it.
  private static let middle = 1 << 62
  /// How far apart elements are put that are added at an end.
  private static let stride = 1 << 32
  /// The smallest stretch that is labelled anew has this many bits; fewer would leave no room.
  private static let smallestStretch = 5
  /// How many elements a stretch of so many bits may hold to be sparse enough: (2 / 1.4) to the
  /// power of the bits, so that the whole range of labels is enough for billions of elements.
  private static let capacities: [Int] = {
    var capacities = [1]
    var capacity = 1.0
    for _ in 1...62 {
      capacity *= 2 / 1.4
      capacities.append(Int(capacity))
    }
    return capacities
  }()

  /// The first is never used, because 0 means none.
  private var slots: [Slot] = []
  private var firstFree: UInt32 = 0
  /// The slots of the anchors that have something before or behind them.
  private var anchors: [Int: UInt32] = [:]
  /// How many elements are stored, without the anchors.
  private(set) var count = 0

  /// How much is stored in all, with the anchors.
  var storedCount: Int { count + anchors.count }

  /// Where a stored element stands.
  func position(of node: Node) -> Position {
    let slot = slots[Int(node.index)]
    return Position(anchor: slot.anchor, label: slot.label)
  }

  /// The place of a number itself, to put something before or behind it.
  ///
  /// It must be done then: an anchor with nothing around it would be stored for ever.
  mutating func anchor(_ number: Int) -> Node {
    if let index = anchors[number] { return Node(index: index) }
    let index = store(Slot(anchor: number, label: Self.middle, previous: 0, next: 0))
    anchors[number] = index
    return Node(index: index)
  }

  /// Puts a new element directly behind another.
  ///
  /// - Parameters:
  ///   - node: The other element.
  ///   - followers: How many will be put behind the new one in turn; room is left for them.
  /// - Returns: The new element.
  mutating func insert(after node: Node, followers: Int = 0) -> Node {
    insert(between: node.index, and: slots[Int(node.index)].next, followers: followers)
  }

  /// Puts a new element directly before another.
  ///
  /// - Parameters:
  ///   - node: The other element.
  ///   - followers: How many will be put there later, so behind the new one.
  /// - Returns: The new element.
  mutating func insert(before node: Node, followers: Int = 0) -> Node {
    insert(between: slots[Int(node.index)].previous, and: node.index, followers: followers)
  }

  mutating func remove(_ node: Node) {
    let slot = slots[Int(node.index)]
    free(node.index)
    count -= 1
    if slot.previous != 0 { slots[Int(slot.previous)].next = slot.next }
    if slot.next != 0 { slots[Int(slot.next)].previous = slot.previous }
    // The anchor stays to the last; alone it has nothing to say.
    if slot.previous == 0, slots[Int(slot.next)].next == 0 {
      free(slot.next)
      anchors[slot.anchor] = nil
    } else if slot.next == 0, slots[Int(slot.previous)].previous == 0 {
      free(slot.previous)
      anchors[slot.anchor] = nil
    }
    if count == 0 { dropMemory() }
  }

  /// Many elements may have been stored once; few are, in most programs.
  private mutating func dropMemory() {
    guard slots.count > 1024 else { return }
    slots = []
    anchors = [:]
    firstFree = 0
  }

  // MARK: - Storing

  private mutating func insert(
    between previous: UInt32, and next: UInt32, followers: Int
  ) -> Node {
    let label = freeLabel(between: previous, and: next, followers: followers)
    let anchor = slots[Int(previous == 0 ? next : previous)].anchor
    let index = store(Slot(anchor: anchor, label: label, previous: previous, next: next))
    if previous != 0 { slots[Int(previous)].next = index }
    if next != 0 { slots[Int(next)].previous = index }
    count += 1
    return Node(index: index)
  }

  private mutating func store(_ slot: Slot) -> UInt32 {
    if firstFree != 0 {
      let index = firstFree
      firstFree = slots[Int(index)].next
      slots[Int(index)] = slot
      return index
    }
    if slots.isEmpty { slots.append(Slot(anchor: 0, label: 0, previous: 0, next: 0)) }
    slots.append(slot)
    return UInt32(slots.count - 1)
  }

  private mutating func free(_ index: UInt32) {
    slots[Int(index)].next = firstFree
    firstFree = index
  }

  // MARK: - Labels

  private mutating func freeLabel(
    between previous: UInt32, and next: UInt32, followers: Int
  ) -> Int {
    var gap = self.gap(between: previous, and: next)
    if gap < 2 {
      makeRoom(around: previous == 0 ? next : previous)
      gap = self.gap(between: previous, and: next)
    }
    if previous == 0 {
      // At the front there may be more to come before it.
      let step = min(Self.stride, gap / 2 / (followers + 1))
      return slots[Int(next)].label - (step == 0 ? gap / 2 : step * (followers + 1))
    }
    return slots[Int(previous)].label + min(Self.stride, max(1, gap / (followers + 2)))
  }

  /// How far apart two neighbours are; one of them may be an end of the list.
  private func gap(between previous: UInt32, and next: UInt32) -> Int {
    let lower = previous == 0 ? -1 : slots[Int(previous)].label
    let upper = next == 0 ? Int.max : slots[Int(next)].label
    // An anchor stands in between or is one of the two, so that this does not overflow.
    return upper - lower
  }

  /// Labels a stretch anew that holds the element, so that there is room on both of its sides.
  private mutating func makeRoom(around index: UInt32) {
    var (first, last, held) = (index, index, 1)
    let label = slots[Int(index)].label
    var bits = Self.smallestStretch
    while true {
      // Stretches are aligned, so that none reaches across an anchor, which keeps its label.
      let size = 1 << bits
      let start = label & ~(size - 1)
      let end = start + (size - 1)
      while case let next = slots[Int(first)].previous, next != 0, slots[Int(next)].label >= start {
        first = next
        held += 1
      }
      while case let next = slots[Int(last)].next, next != 0, slots[Int(next)].label <= end {
        last = next
        held += 1
      }
      if held < Self.capacities[bits] || bits == 62 {
        spread(held, from: first, over: size, from: start)
        return
      }
      bits += 1
    }
  }

  private mutating func spread(_ held: Int, from first: UInt32, over size: Int, from start: Int) {
    let spacing = size / held
    // Room is left before the first one too, unless it is the anchor.
    var label = start == Self.middle ? start : start + spacing / 2
    var index = first
    for _ in 0..<held {
      slots[Int(index)].label = label
      label += spacing
      index = slots[Int(index)].next
    }
  }
}
