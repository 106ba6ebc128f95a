/// The scripts that a script reads.
struct IncludedScripts {
  /// The names of those that were checked.
  var checked: Set<String> = []
  /// Those of which is noted what they define, and whether only blocks read them.
  var collected: [String: Bool] = [:]
  /// The first statement after which any name can exist, because a script could not be read.
  private(set) var unknownFrom: Int?
  /// The first statement that may write a file.
  private var firstWriter: Int?
  /// Those that cannot be read now.
  private var missing: [(diagnostic: Diagnostic, place: Place)] = []

  /// Whether a script could not be read, so that any name can exist.
  var areUnknown: Bool { unknownFrom != nil }

  /// Notes that any name can exist from a place on.
  mutating func noteUnknown(at place: Place) {
    unknownFrom = min(unknownFrom ?? place.statement, place.statement)
  }

  /// Notes that a file may be written at a place.
  mutating func noteWriter(at place: Place) {
    firstWriter = min(firstWriter ?? place.statement, place.statement)
  }

  /// Notes that a script cannot be read; what is before it may still write it.
  mutating func noteMissing(_ error: any Error, _ range: SourceRange, at place: Place) {
    guard !place.isAttempted else { return }
    var diagnostic: Diagnostic
    switch error {
    case let own as Diagnostic:
      diagnostic = own
      diagnostic.labels.append(place.spot(range).label("read from here"))
    case let failure as UnplacedError:
      diagnostic = Diagnostic(
        failure.page, failure.message, source: place.source, range: range,
        help: failure.help ?? "its path is relative to the script that names it")
    default: return
    }
    missing.append((place.placed(diagnostic), place))
  }

  /// Those that cannot be read, and that no statement before can have written.
  var certainlyMissing: [Diagnostic] {
    missing.filter { missing in
      guard let firstWriter else { return true }
      return !missing.place.isLater && firstWriter > missing.place.statement
    }.map(\.diagnostic)
  }
}

extension Place {
  /// Checks the script that a call would run, as if it were here: what it makes lives here, or in
  /// the call of a `def`.
  func checkInclusion(
    _ signature: CommandSignature, _ result: CommandCall, _ range: SourceRange
  ) {
    guard let name = signature.positionals.first?.name,
      let argument = result.given(name)?.first, let path = argument.value?.text
    else { return known.scripts.noteUnknown(at: self) }
    let script: Script
    do {
      guard let found = try setting.include?(path, source) else {
        return known.scripts.noteUnknown(at: self)
      }
      script = found
    } catch {
      known.scripts.noteUnknown(at: self)
      return known.scripts.noteMissing(error, argument.range, at: self)
    }
    // A script that includes itself ends somewhere, or fails when it runs.
    guard known.scripts.checked.insert(script.source.name).inserted else {
      giveAgain(script)
      return noteCall(.script(script.source.name), argument.range)
    }
    let readFrom = spot(range).label("read from here")
    known.symbols.events.begin()
    findings {
      for diagnostic in script.diagnostics { add(diagnostic) }
      collectLater(script, isNested: isInBlock)
      with { $0.source = script.source }.check(script.statements)
    } changing: { diagnostic in
      var diagnostic = diagnostic
      diagnostic.labels.append(readFrom)
      return diagnostic
    }
    known.symbols.events.end(.script(script.source.name), isInline: true)
  }

  /// Gives a scope what a script makes that was checked elsewhere, and notes what it reads there.
  private func giveAgain(_ script: Script) {
    var parts: [Script] = []
    addParts(of: script, to: &parts)
    for part in parts {
      noteReads(in: part.source.text)
      for case .assignment(let assignment) in part.statements.map(\.kind) {
        scope.giveIncluded(assignment.name.text)
      }
    }
  }

  /// Adds a script, and those that its top level includes.
  private func addParts(of script: Script, to parts: inout [Script]) {
    guard !parts.contains(where: { $0.source.name == script.source.name }) else { return }
    parts.append(script)
    for command in script.statements.compactMap(\.command) {
      let call = command.resolved(in: script.source, catalog)
      guard case .command(let signature, _) = call.match, signature.is(.includesScript),
        let path = call.arguments.first?.constant,
        let inner = try? setting.include?(path, script.source)
      else { continue }
      addParts(of: inner, to: &parts)
    }
  }

  /// Notes that the variables that a text names are read, perhaps ones that are made later.
  func noteReads(in text: String) {
    for name in ShellLine.variables(in: text) where !scope.read(name) && isLater {
      known.later.read(name)
    }
  }
}
