import CommandParts
import Foundation
import Operations
import OpshLocking
package import ShellLanguage
import ShellOutput
import ShellSession

/// `export`: the session's operations as a file for other programs.
enum Export: Command {
  static let file = Positional<String>(
    "file", .file,
    help: "file to write; its ending says what: .html .svg .csv .dot .mmd .md .har .trace.json"
  )
  static let graph = Flag("graph", help: "of an SVG: the dependencies instead of the times")
  static let life = Option<OperationName?>(
    "life", help: "of an SVG: the life of one operation (id, name, or 'last')")
  static let title = Option<String?>(
    "title", help: "title of an SVG (default: the first comment of the script)")
  static let dark = Flag("dark", help: "of an SVG: light text on a dark ground")
  static let replace = Flag("replace", help: "replace a file that exists")

  /// What is written, by the ending of the file.
  enum Kind: String, CaseIterable {
    case html
    case svg
    case csv
    case dot
    case mermaid = "mmd"
    case markdown = "md"
    case har
    case trace = "trace.json"

    /// The kind of a file; the longest ending that matches.
    init?(path: String) {
      let name = path.split(separator: "/").last?.lowercased() ?? ""
      guard let kind = Self.allCases.first(where: { name.hasSuffix("." + $0.rawValue) }) else {
        return nil
      }
      self = kind
    }
  }

  static let path = ["export"]
  static let declaration = CommandDeclaration(
    summary: "Writes the operations of the session as a picture or for other programs",
    discussion: """
      The ending of FILE says what is written. '.html': a page that plays the session in a \
      browser, event by event, with queues, timeline, graph, reasons and what was typed; a comment \
      on a line of its own is a chapter. It opens at the start, hides what comes later, prints as \
      a whole, and loads nothing from anywhere. '.svg': a picture of 1600 by 900 for a slide, \
      readable in grey: below each queue its operations, each a bar of what its time went to, with \
      the critical path that 'blame' tells in bold; with '--graph' the dependencies in layers, each \
      group a frame; with '--life OP' the drawing of 'diagram', and what the time went to. Where \
      there are many operations, some bars have no name; 5,000 bars and 240 boxes are drawn at \
      most. '.csv': a line for each operation (RFC 4180). '.dot': the dependencies for Graphviz. '.mmd': the \
      same for Mermaid, which Markdown pages draw. '.md': a page with the operations, what was \
      typed and every transition. '.har': the requests of the attempts that are kept ('help \
      network'), with headers, times and posted forms and JSON, but no files, for the network \
      panels of browsers (HTTP Archive 1.2). '.trace.json': a trace for Perfetto or Chrome, with a \
      track for each slot of each queue. On the virtual clock the same session writes the same \
      bytes. Secrets are masked, and only the user may read the file.
      """,
    positionals: [file], options: [graph, life, title, dark, replace],
    examples: [
      .init("queue width 1; delay 10ms --count 3; wait; export times.svg", "a picture"),
      .init(
        "group g { delay 5ms --name a; delay 5ms --after a }; wait; "
          + "export graph.svg --graph --dark", "the dependencies for a slide"),
      .init("delay 10ms --name a; delay 5ms --after a; wait; export run.html", "to play it"),
      .init(
        "delay 10ms --name a; delay 5ms --after a; wait; export graph.dot", "for Graphviz"),
      .init("fetch questions; wait; export requests.har", "for a browser's network panel"),
    ],
    searchTerms: [
      "picture", "image", "slide", "dark", "title", "critical path", "html", "page", "browser",
      "player", "svg", "csv", "spreadsheet",
      "graphviz", "dot", "mermaid", "trace",
      "perfetto", "chrome", "har", "network panel", "save", "write",
    ], traits: [.worksInReplay],
    rules: [ArgumentRule(refusal)])

  @Sendable private static func refusal(of call: CommandCall) -> Diagnostic? {
    let path = call.texts(of: file).first?.text
    let isGraph = call.has(graph)
    let kind: Kind
    do throws(UnplacedError) {
      // Only running shows what a variable names.
      kind = if let path { try self.kind(of: path, isGraph: isGraph) } else { .svg }
    } catch {
      return call.failure(error, at: file)
    }
    if call.has(life), isGraph || kind != .svg {
      return call.failure(
        .conflictingOptions, "'--life' is for '.svg', and without '--graph'", at: life)
    }
    guard kind != .svg else { return nil }
    if call.has(title) {
      return call.failure(.conflictingOptions, "'--title' is for '.svg'", at: title)
    }
    return call.has(dark)
      ? call.failure(.conflictingOptions, "'--dark' is for '.svg'", at: dark) : nil
  }

  /// Returns what to write to a path.
  private static func kind(of path: String, isGraph: Bool) throws(UnplacedError) -> Kind {
    guard let kind = Kind(path: path) else {
      throw UnplacedError(
        .unknownEnding, "the ending of '\(path)' does not say what to write",
        // As in the shells where 'export' sets a variable.
        help: path.contains("=") ? "'let NAME = VALUE' sets a variable" : nil)
    }
    guard !isGraph || kind == .svg else {
      throw UnplacedError(.unknownEnding, "'--graph' is for '.svg'; '.dot' and '.mmd' are graphs")
    }
    return kind
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let path = call[file]
    let kind = try kind(of: path, isGraph: call[graph])
    let only = try invocation.operation(life)
    let exported = ExportedSession(
      invocation.jobs, invocation.run, masking: invocation.screen.secrets)
    guard !exported.rows.isEmpty else {
      throw call.failure(.nothingToExport, "there is no operation to write", at: file)
    }
    var told = OperationTable.count(exported.rows.count, "operation")
    let text: String
    switch kind {
    case .html:
      var lines = RecordingLines(
        of: invocation.run, spans: PageSpans(of: invocation.jobs))
      text = SessionPage.html(lines: lines.end(status: nil))
    case .svg:
      let title = call[title].map(invocation.screen.secrets.mask) ?? firstComment(invocation)
      let theme: SVGTheme = call[dark] ? .dark : .light
      if call[graph] {
        text = SVGGraph(of: exported, title: title, theme: theme).text
      } else if let only, let row = exported.rowsByID[only.id] {
        text =
          SVGLife(
            of: row, steps(of: only, invocation), in: exported, title: title, theme: theme
          ).text
        told = "the life of '\(only.displayName)'"
      } else {
        text = SVGTimeline(of: exported, title: title, theme: theme).text
      }
    case .csv: text = CSVText(of: exported).text
    case .dot: text = DOTText(of: exported).text
    case .markdown: text = MarkdownText(of: exported, invocation).text
    case .mermaid: text = MermaidText(of: exported).text
    case .trace: text = TraceText(of: exported).text
    case .har:
      let archive = HARText(
        of: invocation.jobs.operations.all, clock: invocation.run.clock,
        masking: invocation.screen.secrets)
      guard archive.count > 0 else {
        throw call.failure(.nothingToExport, "there is no request to write", at: file)
      }
      told = OperationTable.count(archive.count, "request")
      text = archive.text
    }
    try invocation.writeNewFile(text, to: path, at: file, replaces: call[replace])
    invocation.printText("\(told) in '\(path)'")
    return .string(path)
  }

  /// The first line of the script that is a comment, or of what was typed; nil if there is none.
  private static func firstComment(_ invocation: Invocation) -> String? {
    let typed = invocation.run.state.withLock { $0.typed.map(\.text) }
    for text in typed + [invocation.call.source.text] {
      for line in text.split(whereSeparator: \.isNewline) {
        let line = line.drop(while: \.isWhitespace)
        guard line.hasPrefix("#"), !line.hasPrefix("#!") else { continue }
        var words = line.drop { $0 == "#" || $0.isWhitespace }
        if words.last == "." { words.removeLast() }
        if !words.isEmpty { return invocation.screen.secrets.mask(String(words)) }
      }
    }
    return nil
  }

  /// The life of an operation as the log has it, with secrets masked.
  private static func steps(
    of operation: ObservableOperation, _ invocation: Invocation
  ) -> [LifeCycle.Step] {
    var life = LifeCycle(of: operation)
    var cursor = 0
    var steps: [LifeCycle.Step] = []
    while let page = invocation.jobs.engine.log.nextPage(from: &cursor) {
      for entry in page where entry.operation.id == operation.id {
        steps += life.steps(for: entry)
      }
    }
    let secrets = invocation.screen.secrets
    return (steps + life.end(now: invocation.run.clock.now)).map { step in
      switch step {
      case .state(let state, let time, let reason, let outcome):
        .state(state, at: time, reason: secrets.mask(reason), outcome: outcome)
      case .note(let name, let time, let reason):
        .note(name, at: time, reason: secrets.mask(reason))
      case .unreached, .wire: step
      }
    }
  }
}

extension ErrorPage {
  package static let unknownEnding = ErrorPage(
    "unknown-ending", "The ending of the file does not say what to write",
    "'export' writes what the ending of its file says: '.html', '.svg', '.csv', '.dot', '.mmd', "
      + "'.md', '.har' or '.trace.json'.",
    help: "its endings: .html .svg .csv .dot .mmd .md .har .trace.json",
    wrong: "export session.pdf", right: "delay 1ms; wait\nexport session.csv")

  package static let nothingToExport = ErrorPage(
    "nothing-to-export", "The session has no operation yet",
    "'export' writes the operations of the session, and there is none of which it has a record.",
    help: "build one first", wrong: "export session.csv",
    right: "delay 1ms; wait\nexport session.csv", proof: .running)
}
