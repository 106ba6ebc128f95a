/// The chart of how many operations executed.
enum WatchStrip {
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
