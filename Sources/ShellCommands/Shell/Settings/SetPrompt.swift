import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// `set prompt`: what stands before the line that is being typed.
enum SetPrompt: Setting {
  static let traits: CommandDeclaration.Traits = [.worksInReplay]
  static let name = "prompt"
  static let summary = "The prompt: text with fields, such as '{queue}', that are filled in"
  static let discussion = """
    A field is a name in braces. Signs around the name, as in '{ [queue]}', appear with the value \
    only; a field without a value does not appear at all.

    \(fields)

    Fields have their colours, and change while a line is typed. A long name of a queue is shortened in \
    the middle, so that the prompt takes at most a third of the screen. Transcripts and \
    terminals without a line editor have the usual prompt.
    """
  static let argument = Positional<String?>(
    "text", help: "quoted text with fields in braces, or 'default'"
  ).refusedEach { text in
    do throws(UnplacedError) {
      _ = try template(text)
      return nil
    } catch {
      return error
    }
  }
  static let examples: [CommandDeclaration.Example] = [
    .init("set prompt", "the prompt as it would be set"),
    .init(
      "set prompt 'opsh{ !failed}{ executing+}{ [queue]}> '",
      "also the failures since the last prompt, and how many operations execute"),
    .init("set prompt default", "as at the start"),
  ]
  static let searchTerms = ["PS1", "prompt", "status", "fields", "template", "title"]

  static var completions: [ParameterCompletion] {
    [
      ParameterCompletion(argument) { _, _ in
        [
          ("default", "as at the start"), (PromptTemplate.standard.text, "the same, to be changed"),
          ("opsh{ status}{ !failed}{ executing+}{ waiting-}{ time}{ [queue]}> ", "all fields"),
        ].map { CompletionCandidate($0, summary: $1) }
      }
    ]
  }

  private static var fields: String {
    PromptTemplate.Field.allCases.map { "{\($0.rawValue)}: \($0.help)" }.joined(separator: "\n")
  }

  private static func template(_ text: String) throws(UnplacedError) -> PromptTemplate {
    guard text != "default" else { return .standard }
    do throws(PromptTemplate.Fault) {
      return try PromptTemplate(text)
    } catch {
      throw UnplacedError(.badPrompt, error.message, help: error.help)
    }
  }

  static func value(in invocation: Invocation) -> Value {
    .string(invocation.screen.state.withLock { $0.prompt.template.text })
  }

  static func set(_ text: String, in invocation: Invocation) throws {
    let template = try template(text)
    invocation.screen.state.withLock { $0.prompt.template = template }
  }
}

extension ErrorPage {
  static let badPrompt = ErrorPage(
    "bad-prompt", "The text of 'set prompt' has a field that does not exist, or a stray brace",
    "A field is one of the names of 'help set prompt' in braces, with signs around it that are no "
      + "letters.",
    help: "'help set prompt' lists the fields", wrong: "set prompt '{queues}> '",
    right: "set prompt '{queue}> '")
}
