import TestSupport
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct HeapTests {
  /// A class, because references are what may be lost or kept when elements are moved.
  private final class Item: Comparable {
    let value: Int

    init(_ value: Int) { self.value = value }

    static func < (left: Item, right: Item) -> Bool { left.value < right.value }
    static func == (left: Item, right: Item) -> Bool { left.value == right.value }
  }

  @Test("The smallest comes first, whatever is put in and taken out between")
  func againstSorting() {
    var random = SplitMix(state: 11)
    for size in [0, 1, 2, 3, 4, 5, 6, 16, 17, 21, 22, 300] {
      var model = (0..<size).map { _ in random.below(size) }
      var heap = Heap(model.map(Item.init))
      for _ in 0..<4 * size {
        #expect(heap.count == model.count)
        #expect(heap.first?.value == model.min())
        if random.below(2) == 0 {
          let value = random.below(size)
          model.append(value)
          heap.insert(Item(value))
        } else {
          let least = model.min()
          if let position = model.firstIndex(where: { $0 == least }) { model.remove(at: position) }
          #expect(heap.popFirst()?.value == least)
        }
      }
      var rest: [Int] = []
      while let item = heap.popFirst() { rest.append(item.value) }
      #expect(rest == model.sorted())
      #expect(heap.popFirst() == nil)
    }
  }

  @Test("What was taken out is let go")
  func references() {
    var heap = Heap((0..<50).map(Item.init))
    for value in 0..<50 {
      weak var gone: Item?
      do {
        let first = heap.popFirst()
        #expect(first?.value == value)
        gone = first
      }
      #expect(gone == nil)
    }
  }
}
