import OpshJSON
import ShellSession
import Testing

/// The requests of `export FILE.har` against HTTP Archive 1.2
/// (<http://www.softwareishard.com/blog/har-12-spec/>).
@Suite("HTTP archives", .timeLimit(.minutes(5)))
struct ArchiveTests {
  /// A key of an object of the format, and the kind of its value.
  private enum Kind {
    case text, number, list, object
    case optionalText, optionalNumber, optionalObject, optionalList
  }

  private static let entryKeys: [String: Kind] = [
    "startedDateTime": .text, "time": .number, "request": .object, "response": .object,
    "cache": .object, "timings": .object, "serverIPAddress": .optionalText,
    "connection": .optionalText, "comment": .optionalText, "pageref": .optionalText,
  ]
  private static let requestKeys: [String: Kind] = [
    "method": .text, "url": .text, "httpVersion": .text, "cookies": .list, "headers": .list,
    "queryString": .list, "postData": .optionalObject, "headersSize": .number,
    "bodySize": .number, "comment": .optionalText,
  ]
  private static let responseKeys: [String: Kind] = [
    "status": .number, "statusText": .text, "httpVersion": .text, "cookies": .list,
    "headers": .list, "content": .object, "redirectURL": .text, "headersSize": .number,
    "bodySize": .number, "comment": .optionalText,
  ]
  private static let postDataKeys: [String: Kind] = [
    "mimeType": .text, "params": .optionalList, "text": .optionalText, "comment": .optionalText,
  ]
  private static let parameterKeys: [String: Kind] = [
    "name": .text, "value": .optionalText, "fileName": .optionalText,
    "contentType": .optionalText, "comment": .optionalText,
  ]
  private static let contentKeys: [String: Kind] = [
    "size": .number, "compression": .optionalNumber, "mimeType": .text, "text": .optionalText,
    "encoding": .optionalText, "comment": .optionalText,
  ]
  private static let timingKeys: [String: Kind] = [
    "blocked": .optionalNumber, "dns": .optionalNumber, "connect": .optionalNumber,
    "send": .number, "wait": .number, "receive": .number, "ssl": .optionalNumber,
    "comment": .optionalText,
  ]

  /// Expects that an object has what the format requires, and nothing that it does not know.
  private func expect(_ object: JSONValue?, has keys: [String: Kind], _ words: String) throws {
    guard case .object(let members)? = object else {
      Issue.record("\(words) is no object")
      return
    }
    // What others add begins with '_'.
    let names = members.map(\.name).filter { !$0.hasPrefix("_") }
    #expect(Set(names).isSubset(of: keys.keys) && Set(names).count == names.count, "\(words)")
    for (name, kind) in keys {
      let value = object?[name]
      let isRight =
        switch (kind, value) {
        case (.text, .string), (.list, .array), (.object, .object): true
        case (.number, .integer), (.number, .real): true
        case (.optionalText, nil), (.optionalNumber, nil), (.optionalObject, nil): true
        case (.optionalList, nil): true
        case (.optionalText, .string), (.optionalObject, .object), (.optionalList, .array): true
        case (.optionalNumber, .integer), (.optionalNumber, .real): true
        default: false
        }
      #expect(isRight, "\(words): \(name) is \(value?.text ?? "missing")")
    }
  }

  private func entries(_ script: String) throws -> [JSONValue] {
    let folder = try ScratchFolder()
    try folder.write("content", to: "note.txt")
    try folder.write(String(repeating: "long ", count: 20_000), to: "long.txt")
    _ = try ShellFixture(
      script.replacing("FOLDER", with: folder.path) + "\nwait --any-outcome\n"
        + "export '\(folder.path)/a.har'")
    return try Self.entries(of: folder, "a.har")
  }

  private static func entries(of folder: ScratchFolder, _ name: String) throws -> [JSONValue] {
    let text = try #require(folder.read(name))
    let root = try JSONValue(parsing: Array(text.utf8))
    guard case .array(let entries)? = root["log"]?["entries"] else { return [] }
    return entries
  }

  @Test("Every object has the keys of the format, also of retries, redirects, forms and failures")
  func keys() throws {
    let entries = try entries(
      """
      server fault status-503 100% --route '/2.3/sites*'
      get '/2.3/sites?x=1' --name retried --retry 1 --backoff 1ms
      fetch questions --name questions
      post /anything --body "text" --name text
      post /anything --form a=1 --name form
      post /anything --multipart a=1 --multipart file=@FOLDER/note.txt --name parts
      get http://127.0.0.1:1/ --name refused
      """)
    #expect(entries.count >= 7)
    for entry in entries {
      let name = entry["_operation"]?.string ?? "an entry without a name"
      try expect(entry, has: Self.entryKeys, name)
      try expect(entry["request"], has: Self.requestKeys, "\(name): request")
      try expect(entry["response"], has: Self.responseKeys, "\(name): response")
      try expect(entry["response"]?["content"], has: Self.contentKeys, "\(name): content")
      try expect(entry["timings"], has: Self.timingKeys, "\(name): timings")
      if let data = entry["request"]?["postData"] {
        try expect(data, has: Self.postDataKeys, "\(name): postData")
        // The format excludes both.
        #expect((data["params"] == nil) == (data["text"] != nil), "\(name)")
        if case .array(let parameters)? = data["params"] {
          for one in parameters { try expect(one, has: Self.parameterKeys, "\(name): params") }
        }
      }
    }
  }

  @Test(
    "Each attempt has the size of its body, as it came and expanded, and the text of its status")
  func sizes() throws {
    let entries = try entries(
      """
      server fault status-503 100% --route '/2.3/sites*'
      get '/2.3/sites' --name retried --retry 1 --backoff 1ms
      wait --any-outcome
      server fault off
      fetch questions --name questions
      get http://127.0.0.1:1/ --name refused
      """)
    let retried = entries.filter { $0["_operation"]?.string == "retried" }
    #expect(retried.count == 2)
    for entry in retried {
      let response = try #require(entry["response"])
      #expect(response["status"] == .integer(503))
      #expect(response["statusText"] == .string("Service Unavailable"))
      #expect((response["bodySize"]?.exactInteger(Int.self) ?? 0) > 0)
    }
    // The practice server sends pages of questions compressed.
    let page = try #require(entries.first { $0["_operation"]?.string == "questions" }?["response"])
    let size = try #require(page["content"]?["size"]?.exactInteger(Int.self))
    let sent = try #require(page["bodySize"]?.exactInteger(Int.self))
    #expect(size > sent && sent > 0 && page["statusText"] == .string("OK"))
    #expect(page["content"]?["compression"] == .integer(Int64(size - sent)))
    let refused = try #require(entries.first { $0["_operation"]?.string == "refused" })
    #expect(refused["response"]?["bodySize"] == .integer(-1))
    #expect(refused["response"]?["status"] == .integer(0))
    #expect(refused["request"]?["bodySize"] == .integer(-1))
  }

  @Test("The second request of a redirect begins when the first has ended")
  func redirects() throws {
    let entries = try entries(
      """
      set clock virtual
      server fault redirect-elsewhere 100%
      server latency 250ms
      fetch questions
      """)
    let starts = entries.map { $0["startedDateTime"]?.string?.suffix(5).description }
    #expect(starts == [".000Z", ".251Z"])
  }

  @Test("What was posted is there if it is a form or JSON, with every secret masked; no file is")
  func postData() throws {
    let entries = try entries(
      """
      post /anything --json '{"name":"Ada","pass\\u0077ord":"abc","token":{"n":[4711,null]}}' \
        --name json
      post /anything --body '{"key":"4711"}' --header 'Content-Type: application/x+json' --name plus
      post /anything --form 'title=a b&c' --form password=4711 --form token=abc --name form
      post /anything --multipart a=1 --multipart file=@FOLDER/note.txt --name parts
      post /anything --body '<password>abc</password>' --name text
      post /anything --file FOLDER/note.txt --name file
      post /anything --file FOLDER/note.txt --header 'Content-Type: application/json' --name typed
      post /anything --file FOLDER/long.txt --name long
      get /anything --name none
      """)
    func data(_ name: String) -> JSONValue? {
      entries.first { $0["_operation"]?.string == name }?["request"]?["postData"]
    }
    #expect(data("none") == nil)
    #expect(data("json")?["mimeType"]?.string?.hasPrefix("application/json") == true)
    #expect(
      data("json")?["text"]
        == .string(#"{"name":"Ada","password":"***","token":{"n":["***",null]}}"#))
    #expect(data("plus")?["text"] == .string(#"{"key":"***"}"#))
    #expect(data("form")?["text"] == .string("title=a+b%26c&password=***&token=***"))
    #expect(
      data("parts")?["params"]?.text
        == #"[{"name":"a","value":"1"},"#
        + #"{"name":"file","fileName":"note.txt","contentType":"application/octet-stream"}]"#)
    #expect(
      data("text")?.text
        == #"{"mimeType":"text/plain; charset=utf-8","text":"","comment":"24 B, left out"}"#)
    for name in ["file", "typed", "long"] {
      let data = try #require(data(name))
      #expect(data["text"] == .string("") && data["comment"] != nil, "\(name)")
    }
    let sizes = entries.map { $0["request"]?["bodySize"]?.exactInteger(Int.self) ?? -1 }
    #expect(sizes.allSatisfy { $0 >= 0 } && sizes.contains(7) && sizes.contains(0))
  }

  @Test("A known secret is masked in a form and in JSON although their escapes change it")
  func escapes() throws {
    let folder = try ScratchFolder()
    _ = try ShellFixture(
      """
      post /anything --form 'password=s3cr3t "4711"' --name a
      post /anything --form 'note=s3cr3t "4711"' --name b
      post /anything --json '{"note":"s3cr3t \\"4711\\""}' --name c
      wait --any-outcome
      export '\(folder.path)/a.har'
      """)
    let text = try #require(folder.read("a.har"))
    #expect(text.contains("note=**") && !text.contains("s3cr3t"))
  }

  @Test("A credential that comes back in a response is masked")
  func masked() throws {
    let folder = try ScratchFolder()
    _ = try ShellFixture(
      """
      get /2.3/sites --header "Authorization: Bearer s3cr3t-token-4711"
      get '/2.3/sites?q=s3cr3t-token-4711'
      wait --any-outcome
      export '\(folder.path)/a.har'
      """)
    let text = try #require(folder.read("a.har"))
    #expect(text.contains("/2.3/sites?q=") && !text.contains("s3cr3t"))
  }
}
