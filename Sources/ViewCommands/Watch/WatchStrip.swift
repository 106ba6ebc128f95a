/// The numbers of executing operations over the last seconds.
struct WatchStrip: Sendable, Equatable {
  /// The time that a column of the chart stands for.
  static let slot = Duration.milliseconds(200)
  private static let longest = 512

  private(set) var samples: [Int] = []
  private var slotStart: ContinuousClock.Instant?

  /// Adds a number; of several in a slot the greatest counts.
  mutating func add(_ count: Int, at now: ContinuousClock.Instant) {
    guard let start = slotStart, let last = samples.last else {
      slotStart = now
      samples = [count]
      return
    }
    let passed = min(Int((now - start) / Self.slot), Self.longest)
    guard passed > 0 else {
      samples[samples.count - 1] = max(last, count)
      return
    }
    // Between two looks at it, nothing is known to have changed.
    samples += Array(repeating: last, count: passed - 1) + [count]
    if samples.count > Self.longest { samples.removeFirst(samples.count - Self.longest) }
    slotStart = passed == Self.longest ? now : start + Self.slot * passed
  }

  /// Draws samples as columns of blocks, the latest at the right; returns the rows from the top.
  static func rows(
    _ samples: [Int], columns: Int, rows: Int, isASCII: Bool
  ) -> [String] {
    let signs: [Character] = Array(isASCII ? " .:-=+*%#" : " ▁▂▃▄▅▆▇█")
    let shown = samples.suffix(max(0, columns))
    let peak = max(1, shown.max() ?? 1)
    let steps = signs.count - 1
    let heights = shown.map { sample in
      // Something is never nothing.
      sample == 0 ? 0 : max(1, (sample * rows * steps + peak / 2) / peak)
    }
    let lead = String(repeating: " ", count: max(0, columns - shown.count))
    return (0..<max(0, rows)).map { row in
      let floor = (rows - 1 - row) * steps
      return lead + String(heights.map { signs[min(steps, max(0, $0 - floor))] })
    }
  }
}
