import Networking
import Operations
import ShellLanguage

/// What calls of commands can only be refused for, as far as their arguments are written out.
enum CallMistakes {
  static func mistakes(_ call: HostFacts.Call) -> [HostFacts.Mistake] {
    switch call.signature.path {
    case ["group"]: groupName(call)
    case ["deps"]: selfDependency(call)
    case ["set", "keep"]: limits(call)
    case ["tags", "add"]: tags(call, "tag")
    case ["tags", "rename"]: tags(call, "text")
    case let path where path.first == "endpoint": service(call, path.dropFirst().first)
    default: headers(call) + address(call) + json(call)
    }
  }

  private static func headers(_ call: HostFacts.Call) -> [HostFacts.Mistake] {
    guard call.signature.option(named: "header") != nil else { return [] }
    return call.written("header").compactMap { text, index in
      var headers = HTTPHeaders()
      return headers.append(line: text).map { mistake in
        HostFacts.Mistake(
          mistake.code, mistake.message, at: "header", index: index,
          help: "write: --header 'Accept: text/html'")
      }
    }
  }

  /// An address that the language takes and no request can be made for.
  private static func address(_ call: HostFacts.Call) -> [HostFacts.Mistake] {
    guard call.signature.positional(named: "url")?.kind == .url,
      let text = call.written("url").first?.text
    else { return [] }
    do throws(NetworkError) {
      _ = try HTTPRequest(url: text.hasPrefix("/") ? "http://127.0.0.1" + text : text)
      return []
    } catch {
      return [HostFacts.Mistake(error.code, error.message, at: "url")]
    }
  }

  /// A service that is neither a name nor a usable URL.
  private static func service(_ call: HostFacts.Call, _ api: String?) -> [HostFacts.Mistake] {
    guard let text = call.written("service").first?.text, api == nil || text != "none" else {
      return []
    }
    do throws(NetworkError) {
      _ = try World.Selection(text)
      return []
    } catch {
      return [
        HostFacts.Mistake(
          error.code, error.message, at: "service", help: EndpointText.helpForService(text))
      ]
    }
  }

  /// Texts that no tag can be.
  private static func tags(_ call: HostFacts.Call, _ argument: String) -> [HostFacts.Mistake] {
    call.written(argument).compactMap { text, index in
      do throws(StoreError) {
        _ = try SearchTag.checked(text)
        return nil
      } catch {
        return HostFacts.Mistake(
          error.code, error.message, at: argument, index: index,
          help: "a tag is a text of one line with at most \(SearchTag.maximumLength) characters")
      }
    }
  }

  private static func json(_ call: HostFacts.Call) -> [HostFacts.Mistake] {
    guard call.signature.option(named: "json")?.kind != nil,
      let text = call.written("json").first?.text
    else { return [] }
    do throws(NetworkError) {
      _ = try JSONValue(parsing: Array(text.utf8))
      return []
    } catch {
      return [
        HostFacts.Mistake(
          error.code, "the body is not JSON: \(error.reason)", at: "json",
          help: Invocation.jsonHelp)
      ]
    }
  }

  /// The queues that every session has keep their names.
  private static func groupName(_ call: HostFacts.Call) -> [HostFacts.Mistake] {
    guard case .text(let name) = call.argument("name"), call.option("count") == .absent,
      [QueueRegistry.defaultName, QueueRegistry.systemName].contains(name)
    else { return [] }
    return [
      HostFacts.Mistake(
        "bad-name", GroupCommand.takenByQueue(name), at: "name", help: GroupCommand.takenHelp)
    ]
  }

  /// `set keep 1 2`.
  private static func limits(_ call: HostFacts.Call) -> [HostFacts.Mistake] {
    let written = call.written("value")
    let values = written.map { text, _ in Int64(text).map(Value.integer) ?? .string(text) }
    let numbers = written.indices.filter { if case .integer = values[$0] { true } else { false } }
    guard numbers.count > 1 else { return [] }
    let second = written[numbers[1]]
    let error = KeepLimits.Contradiction(second: second.text)
    return [
      HostFacts.Mistake(
        error.code, error.message, at: "value", index: second.index, help: error.help)
    ]
  }

  /// `deps a on a`.
  private static func selfDependency(_ call: HostFacts.Call) -> [HostFacts.Mistake] {
    guard call.argument("change") == .text("on"), case .text(let name) = call.argument("operation"),
      !GlobPattern.isPattern(name), name != "all"
    else { return [] }
    return call.written("others").compactMap { text, index in
      guard text.split(separator: ",").contains(name[...]) else { return nil }
      let error = DependencyError.selfDependency(name: name)
      return HostFacts.Mistake(
        error.code, error.message, at: "others", index: index,
        help: "name another operation after 'on'")
    }
  }
}
