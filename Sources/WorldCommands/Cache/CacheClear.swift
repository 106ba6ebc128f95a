import CommandParts
import OpshNetworking
import ShellLanguage
import ShellSession

/// `cache clear`: removes cached responses.
enum CacheClear: Command {
  static let id = Positional<[Int]>(
    "id", .integer(minimum: 1), help: "numbers in 'cache list' (default: all)")

  static let path = ["cache", "clear"]
  static let declaration = CommandDeclaration(
    summary: "Removes all cached responses, or certain ones",
    discussion: "The counts of hits and misses stay.",
    positionals: [id],
    examples: [.init("fetch questions --cached; wait; cache clear; cache list", "an empty cache")],
    searchTerms: ["empty", "delete", "forget", "remove", "response"])

  static let completions = [ParameterCompletion(id) { CacheShow.candidates(in: $1) }]

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let cache = invocation.outside.responseCache
    guard call.mentions(id) else { return .integer(Int64(try cache.removeAll())) }
    let numbers = call[id]
    for number in numbers {
      do throws(StoreError) {
        try cache.remove(id: number)
      } catch {
        throw call.failure(error, at: id, help: "'cache list' lists them")
      }
    }
    return .integer(Int64(numbers.count))
  }
}
