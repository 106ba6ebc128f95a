import OpshSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct HeapTests {
  /// A class, because references are what may be lost or kept when elements are moved.
  private final class Item: Comparable {
    let value: Int

    init(_ value: Int) { self.value = value }

    static func < (left: Item, right: Item) -> Bool { left.value < right.value }
    static func == (left: Item, right: Item) -> Bool { left.value == right.value }
  }

  @Test("A heap returns the smallest element first after any insertions and removals")
  func againstSorting() {
    var random = RandomSource(seed: 11)
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

  @Test("A heap releases removed elements")
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

  @Test("Timers come out by time, and in the order of insertion at the same time")
  func timers() {
    var heap = TimerHeap<Int, Int>()
    var random = RandomSource(seed: 9)
    var expected: [(time: Int, value: Int)] = []
    for value in 0..<500 {
      let time = random.below(60)
      heap.insert(value, at: time)
      expected.append((time, value))
    }
    expected.sort { ($0.time, $0.value) < ($1.time, $1.value) }
    #expect(heap.first?.time == expected[0].time)
    heap.removeAll { $0 % 5 == 0 }
    expected.removeAll { $0.value % 5 == 0 }
    #expect(heap.count == 400)
    var values: [Int] = []
    while let first = heap.first {
      #expect(first.time == expected[values.count].time)
      values.append(first.value)
      #expect(heap.popFirst() == first.value)
    }
    #expect(values == expected.map(\.value))
    #expect(heap.popFirst() == nil)
  }
}
