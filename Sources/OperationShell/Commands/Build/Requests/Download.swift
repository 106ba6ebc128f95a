import Foundation
import Networking
import Operations
import ShellLanguage

/// `download`: a URL into a file.
enum Download: Command {
  static let signature = CommandSignature(
    path: ["download"],
    summary: "Saves what a URL answers as a file",
    discussion: """
      Builds an operation that sends a GET request and writes the body of the answer to a file as \
      it comes. It is a temporary file beside the place until it is whole: whatever was there \
      stays as it was when the download fails or is cancelled. 'show' tells how far it is. \
      Its value is the path, the size, and what the server said about it.
      """,
    positionals: [.requestURL, .init("file", .file, help: "where to save it")],
    options: Invocation.requestOptions + BuildOptions.options(without: ["count"]),
    examples: [
      .init(
        "download '/2.3/tags?site=stackoverflow' tags.json; wait last; result last",
        "a page of tags, as a file")
    ],
    searchTerms: ["http", "url", "save", "file", "fetch", "curl", "wget", "network"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    var options = try invocation.readRequestOptions()
    // A file needs no memory, so only a limit that was asked for is one.
    if !call.has("max-size") { options.maximumBodySize = .max }
    let request = try invocation.request(method: "GET")
    let path = call.string("file") ?? ""
    guard !path.isEmpty else {
      throw call.failure("bad-path", "the path of the file is empty", at: "file")
    }
    let session = invocation.session
    let place = session.place(of: path)
    return try invocation.build(kind: "download") { [options] name in
      DownloadOperation(
        name: name, log: session.log, request: request, path: place,
        transport: session.world.transport, options: options, pacer: session.world.pacer)
    }
  }
}

extension DownloadedFile: ShellResult {
  var json: JSONValue {
    let fields: JSONFields = [
      "path": .string(path), "bytes": .number(size), "status": .number(head.status),
      "url": .string(HTTPRequest.masked(head.url)),
    ]
    return fields.value
  }
}
