import CommandParts
import Foundation
import OpshNetworking
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `download`: a URL into a file.
enum Download: SendingCommand {
  static let file = Positional<String>("file", .file, help: "path to save it at")
    .namingFile()
  static let kind = OperationKind("download", route: "downloads")

  static let path = ["download"]
  static let declaration = CommandDeclaration(
    summary: "Saves what a URL answers as a file",
    discussion: """
      Builds an operation that sends a GET request and writes the body of the answer to a file as \
      it comes. Until it is whole it is FILE.opsh-part: whatever was there stays as it was when the \
      download fails or is cancelled. 'show' shows its progress. If the server says which version \
      of the file it sends ('ETag', or an old 'Last-Modified'), a further attempt of '--retry' asks \
      only for the rest of that version. With an 'ETag', FILE.opsh-part is kept when the download \
      fails, is cancelled or is killed: 'retry', and the next download of the same URL to the same \
      FILE, ask only for the rest. FILE.opsh-part.version says which version it is of; if another \
      program has changed that, or has cut the part, it is begun again. \
      Its value is the path, the size, and what the server said about it.
      """,
    positionals: [RequestCommands.url, file],
    options: RequestParameters.all + BuildOptions.all(without: BuildOptions.count),
    examples: [
      .init(
        "download '/2.3/tags?site=stackoverflow' tags.json; wait last; result last",
        "a page of tags, as a file")
    ],
    searchTerms: ["http", "url", "save", "file", "fetch", "curl", "wget", "network"])

  static func clockUse(of call: CommandCall) -> ClockUse { RequestCommands.clockUse(of: call) }

  static func run(_ invocation: Invocation) throws -> Value {
    let place = invocation.outside.place(of: invocation.call[file])
    return try invocation.buildRequest(method: "GET", kind, readsBody: false, output: place)
  }
}

extension DownloadedFile: ShellResult {
  var json: JSONValue {
    JSONValue.members([
      "path": .string(path), "bytes": .number(size), "status": .number(head.status),
      "url": .string(HTTPRequest.masked(head.url)),
    ])
  }

  func show(_ invocation: Invocation) {
    invocation.print(
      StyledText("\(ByteCount(size).description) in '\(VisibleText.escape(path))'"))
  }
}
