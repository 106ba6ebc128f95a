import Foundation
import Operations
import ShellSession
import OpshTerminal

extension Watching {
  private static let levels: [Operation.QueuePriority] = [
    .veryLow, .low, .normal, .high, .veryHigh,
  ]

  /// Does what a key says; returns whether to go on.
  func handle(_ key: TerminalKey) throws -> Bool {
    if view.isTypingFilter { return type(key) }
    guard
      let action = WatchAction(
        key, isVirtual: invocation.run.mode.isVirtual)
    else { return true }
    switch action {
    case .leave:
      guard key == .escape, view.panel != .none || !view.filter.isEmpty else { return false }
      if view.panel != .none {
        view.panel = .none
      } else {
        view.filter = ""
        picture.showFirst()
      }
    case .move(let rows) where view.panel == .help: scroll(by: rows)
    case .page(let pages) where view.panel == .help: scroll(by: pages * 5)
    case .page(let pages) where view.panel == .show: scroll(by: pages * 5)
    case .move(let rows): move { $0.move(&$1, by: rows) }
    case .page(let pages): move { $0.move(&$1, by: pages * max(1, $0.height)) }
    case .first: move { $0.select(&$1, 0) }
    case .last: move { $0.select(&$1, .max) }
    case .nextQueue: selectNextQueue()
    case .filter:
      view.isTypingFilter = true
      view.message = ""
    case .order:
      view.order = view.order.next
      picture.showFirst()
    case .why: show(.why)
    case .show: show(.show)
    case .freeze: view.isFrozen.toggle()
    case .help:
      view.panel = view.panel == .help ? .none : .help
      view.panelStart = 0
    case .pause: try runOnQueue("queue pause")
    case .resume: try runOnQueue("queue resume")
    case .step: try runOnQueue("queue step")
    case .cancel: try runOnOperation { _ in "cancel" }
    case .raise: try changePriority(by: 1)
    case .lower: try changePriority(by: -1)
    case .next: try run(WatchCommand(text: "next"))
    case .time(let command): try run(WatchCommand(text: command, waits: true))
    }
    return true
  }

  private func scroll(by rows: Int) {
    view.panelStart = max(0, view.panelStart + rows)
  }

  private func move(_ change: (inout WatchPicture, inout WatchView) -> Void) {
    view.message = ""
    change(&picture, &view)
  }

  private func selectNextQueue() {
    view.message = ""
    let ids = picture.queues.map(\.id)
    guard let place = view.queue.flatMap(ids.firstIndex) else {
      view.queue = ids.first
      return
    }
    // After the last one, operations are selected again.
    view.queue = place + 1 < ids.count ? ids[place + 1] : nil
  }

  /// Opens a panel about what is selected, or closes it.
  private func show(_ panel: WatchView.Panel) {
    guard view.panel != panel else {
      view.panel = .none
      return
    }
    let word = panel == .show ? "show" : "why"
    if panel == .show,
      let queue = view.queue.flatMap({ id in picture.queues.first { $0.id == id } })
    {
      view.command = "queue show \(WordQuoting.spelled([queue.name]))"
    } else if let operation = picture.selected(view) {
      view.queue = nil
      picture.keepSelection()
      view.command = "\(word) \(reference(to: operation))"
    } else {
      return showError("no operation is selected")
    }
    view.panel = panel
    view.panelStart = 0
    view.message = ""
  }

  // MARK: The filter

  private func type(_ key: TerminalKey) -> Bool {
    switch key {
    case .interrupt: return false
    case .enter: view.isTypingFilter = false
    case .escape:
      view.isTypingFilter = false
      view.filter = ""
    case .backspace: view.filter = String(view.filter.dropLast())
    case .character(let character): view.filter.append(character)
    case .paste(let text): view.filter += text.prefix(200).filter { !$0.isNewline }
    case .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .tab, .other: return true
    }
    view.filter = String(view.filter.prefix(200))
    picture.showFirst()
    return true
  }

  // MARK: Commands

  func showError(_ message: String) {
    show(WatchCommand.Result(message: message, isError: true))
  }

  func show(_ result: WatchCommand.Result) {
    view.message = result.message
    view.isError = result.isError
  }

  private func run(_ command: WatchCommand) throws {
    view.command = command.text
    show(try command.run(invocation))
  }

  private func runOnQueue(_ words: String) throws {
    let queue: InspectableQueue?
    if let id = view.queue {
      queue = invocation.jobs.allQueues.first { $0.id == id }
    } else if let operation = picture.selected(view) {
      picture.keepSelection()
      queue = invocation.jobs.operations.destination(of: operation)
      guard queue != nil else { return showError("'\(operation.displayName)' is on no queue") }
    } else {
      queue = invocation.jobs.queues.inUse
    }
    guard let queue else { return }
    try run(WatchCommand(text: "\(words) \(WordQuoting.spelled([queue.name]))"))
  }

  /// Runs a command on the selected operation: `words` returns those before its name, or nil if there
  /// is nothing to do.
  private func runOnOperation(
    followedBy rest: String = "", _ words: (ObservableOperation) -> String?
  ) throws {
    guard view.queue == nil, let operation = picture.selected(view) else {
      return showError("select an operation first, with the arrow keys")
    }
    guard picture.showsSelection(view) else {
      return showError(
        "'\(operation.displayName)' has left the screen; select an operation with the arrow keys")
    }
    picture.keepSelection()
    guard let words = words(operation) else { return }
    try run(WatchCommand(text: "\(words) \(reference(to: operation))\(rest)"))
  }

  private func changePriority(by steps: Int) throws {
    guard let operation = picture.selected(view), view.queue == nil else {
      return try runOnOperation { _ in nil }
    }
    let present = Self.levels.firstIndex(of: operation.queuePriority) ?? 2
    guard Self.levels.indices.contains(present + steps) else {
      let end = steps > 0 ? "highest" : "lowest"
      return showError("'\(operation.displayName)' has the \(end) priority already")
    }
    let level = Self.levels[present + steps].shellName
    try runOnOperation(followedBy: " \(level)") { _ in "priority" }
  }

  /// How a command names the operation: by its name, where that means it, or by its id.
  private func reference(to operation: ObservableOperation) -> String {
    let name = operation.displayName
    let isPlain = name.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
    }
    guard isPlain, name.first?.isLetter == true,
      invocation.jobs.operations.isNewestOfItsName(operation)
    else { return String(operation.id) }
    return name
  }
}
