import COpshLibEdit
import COpshSystem
import Foundation

extension EditLine {
  /// Prepares libedit: the functions, the keys, and then what the user's own file says.
  func configure() {
    opsh_el_set_reader(editor, readCode)
    opsh_el_set_prompt(editor, emptyPrompt)
    opsh_el_set_signal(editor, 0)
    for command in EditCommand.allCases {
      opsh_el_add_command(
        editor, Self.internalNames[command], Self.summary, command.callback)
    }
    setKeyMap(.emacs)
    sourceFile()
    // Also where the user's file turns editing off, or changes the terminal.
    opsh_el_set_edit_mode(editor, 1)
    opsh_el_disable_flow_control(editor)
    opsh_el_disable_echo_between_lines(editor)
  }

  /// Selects a key map; binds the editor's functions, and the user's keys again.
  func setKeyMap(_ keyMap: LineEditor.KeyMap) {
    self.keyMap = keyMap
    opsh_el_set_editor(editor, Self.modeNames[keyMap])
    for binding in EditCommand.bindings(of: keyMap) {
      bind(binding.codes, to: binding.command.internalName)
    }
    if keyMap == .vi {
      for binding in EditCommand.alternativeBindings {
        bind(binding.codes, to: binding.command.internalName, isAlternative: true)
      }
      // libedit binds arrow keys behind Escape, and so would wait for their rest.
      bind([0x1B], to: "vi-command-mode")
      bind([0x1B], to: "ed-ignore", isAlternative: true)
      for keys in EditCommand.unavailableInViCommand {
        bind(keys, to: "ed-unassigned", isAlternative: true)
      }
    } else {
      for keys in EditCommand.unavailableInEmacs { bind(keys, to: "ed-unassigned") }
    }
    for words in userBindings { _ = runBuiltin(words) }
  }

  private func bind(_ codes: [Int32], to name: String, isAlternative: Bool = false) {
    let key = codes.flatMap(Self.notation)
    let command = EditCommand(name: name).map { Self.internalNames[$0] } ?? nil
    Self.withWide(key) { key in
      Self.withWide(EditCommand.keys(name)) { name in
        _ =
          isAlternative
          ? opsh_el_bind_alternate(editor, key, command ?? name)
          : opsh_el_bind(editor, key, command ?? name)
      }
    }
  }

  /// A caret and a backslash would begin a notation, a minus an option, and zero ends a text.
  private static func notation(of code: Int32) -> [Int32] {
    switch code {
    case 0: EditCommand.keys("^@")
    case 0x2D, 0x5C, 0x5E: [0x5C, code]
    default: [code]
    }
  }

  // MARK: The user's bindings

  /// Runs a line of words as `bind` does, with libedit's own words.
  ///
  /// - Returns: What it prints, and whether it failed.
  func bind(_ words: [String]) -> (text: String, failed: Bool) {
    if words == ["-v"] || words == ["-e"] {
      setKeyMap(words == ["-v"] ? .vi : .emacs)
      return ("", false)
    }
    let words = ["bind"] + words.map(Self.translated)
    let result = runBuiltin(words)
    if !result.failed, words.count > 2 { userBindings.append(words) }
    return result
  }

  /// A name of a function as libedit finds ours under it, and a key that our decoder takes apart as
  /// the code that stands for it.
  private static func translated(_ word: String) -> String {
    if word == EditCommand.unavailableName { return "ed-unassigned" }
    if let command = EditCommand(name: word) { return command.internalName }
    return KeyNotation.specialKey(word)
      .flatMap { Unicode.Scalar(UInt32(EditCommand.code(of: $0))) }.map { String($0) } ?? word
  }

  /// Runs a command of libedit, such as `bind`, and returns what it prints.
  private func runBuiltin(_ words: [String]) -> (text: String, failed: Bool) {
    let wide = words.map { word in Self.wideText(EditCommand.keys(word)) }
    defer { for text in wide { text.deallocate() } }
    captured = []
    var pointers = wide.map { Optional(UnsafePointer($0)) } + [nil]
    let status = el_wparse(editor, Int32(words.count), &pointers)
    fflush(stream)
    let text = String(decoding: captured ?? [], as: UTF8.self)
    captured = nil
    return (Self.readable(text), status != 0)
  }

  /// A list of libedit with the names of the functions and of the keys that have no character.
  private static func readable(_ text: String) -> String {
    var text = text.replacing(EditCommand.internalPrefix, with: "")
    for key in SpecialKey.allCases {
      guard let shown = Unicode.Scalar(UInt32(EditCommand.code(of: key)) | 0x40) else { continue }
      text = text.replacing("\"^\(shown)\"", with: "\(key)")
    }
    return text
  }

  /// The functions that libedit lists.
  var builtins: [(name: String, summary: String)] {
    let lines = runBuiltin(["bind", "-l"]).text.split(separator: "\n")
    return zip(lines, lines.dropFirst()).compactMap { name, summary in
      guard name.first != "\t", summary.first == "\t" else { return nil }
      return (String(name), String(summary.dropFirst()))
    }
  }

  /// Reads the user's file as libedit does: `$EDITRC`, else `~/.editrc`.
  private func sourceFile() {
    let environment = ProcessInfo.processInfo.environment
    guard let path = environment["EDITRC"] ?? environment["HOME"].map({ $0 + "/.editrc" }),
      let text = try? String(contentsOfFile: path, encoding: .utf8)
    else { return }
    for line in text.split(whereSeparator: \.isNewline) {
      var words = Self.words(of: line)
      guard var name = words.first, !name.hasPrefix("#") else { continue }
      // A program's name and a colon limit a line to that program.
      if let colon = name.firstIndex(of: ":") {
        let program = name[..<colon]
        guard program.isEmpty || "opsh".contains(program) else { continue }
        name = String(name[name.index(after: colon)...])
        words[0] = name
      }
      if name == "bind" { _ = bind(Array(words.dropFirst())) } else { _ = runBuiltin(words) }
    }
  }

  private static func words(of line: Substring) -> [String] {
    guard let tokenizer = tok_winit(nil) else { return [] }
    defer { tok_wend(tokenizer) }
    let text = wideText(EditCommand.keys(String(line)))
    defer { text.deallocate() }
    var count: Int32 = 0
    var words: UnsafeMutablePointer<UnsafePointer<Int32>?>?
    guard tok_wstr(tokenizer, text, &count, &words) == 0, let words else { return [] }
    return (0..<Int(count)).compactMap { index in
      words[index].map { word in
        var scalars = String.UnicodeScalarView()
        var place = word
        while place.pointee != 0 {
          scalars.append(Unicode.Scalar(UInt32(bitPattern: place.pointee)) ?? "\u{FFFD}")
          place += 1
        }
        return String(scalars)
      }
    }
  }

  // MARK: Wide texts

  // nonisolated(unsafe) because libedit keeps these pointers and nothing writes to them: they live
  // as long as the process.
  nonisolated(unsafe) private static let internalNames: [EditCommand: UnsafePointer<Int32>] =
    Dictionary(
      uniqueKeysWithValues: EditCommand.allCases.map {
        ($0, UnsafePointer(wideText(EditCommand.keys($0.internalName))))
      })
  // nonisolated(unsafe) because libedit keeps these, too.
  nonisolated(unsafe) private static let modeNames: [LineEditor.KeyMap: UnsafePointer<Int32>] =
    Dictionary(
      uniqueKeysWithValues: LineEditor.KeyMap.allCases.map {
        ($0, UnsafePointer(wideText(EditCommand.keys($0.rawValue))))
      })
  // nonisolated(unsafe) because libedit keeps this, too.
  nonisolated(unsafe) private static let summary = UnsafePointer(wideText(EditCommand.keys("opsh")))

  /// A wide string that the caller frees.
  private static func wideText(_ codes: [Int32]) -> UnsafeMutablePointer<Int32> {
    let copy = UnsafeMutablePointer<Int32>.allocate(capacity: codes.count + 1)
    copy.initialize(from: codes + [0], count: codes.count + 1)
    return copy
  }

  private static func withWide(_ codes: [Int32], _ body: (UnsafePointer<Int32>) -> Void) {
    (codes + [0]).withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { body(base) }
    }
  }
}
