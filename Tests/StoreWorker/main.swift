import Foundation
import OpshNetworking
import OpshPersistence

// The other process in tests of the store. Its first argument says what it does, the second is the
// directory of the store; it prints what it found out, a line each.

/// The quotes of one generation: every field says which it is.
func generation(_ number: Int, count: Int) -> [QuoteRecord] {
  (0..<count).map { index in
    QuoteRecord(
      id: "q\(index)", text: "\(number) " + String(repeating: "x", count: 500 + index % 7 * 300),
      author: "generation \(number)", readCount: number)
  }
}

func say(_ text: String) {
  FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// `ok` and what is to be said about it, or the code of the error.
func attempt(_ name: String, _ body: () throws -> String) {
  do {
    say("\(name) ok \(try body())")
  } catch let error as StoreError {
    say("\(name) \(error.code)")
    FileHandle.standardError.write(Data((error.message + "\n").utf8))
  } catch {
    say("\(name) \(error)")
  }
}

// As the shell does: a limit on the size of files is to be an error and not the end.
signal(SIGXFSZ, SIG_IGN)
var arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--unprivileged" {
  arguments = arguments.dropFirst()
  guard setgid(65534) == 0, setuid(65534) == 0 else {
    say("cannot give up rights")
    exit(3)
  }
}
guard arguments.count >= 2, let command = arguments.popFirst(), let place = arguments.popFirst()
else {
  say("usage: store-worker [--unprivileged] COMMAND DIRECTORY [COUNT]")
  exit(2)
}
let count = arguments.popFirst().flatMap { Int($0) } ?? 1
let store = SQLiteStore(directory: place)

switch command {
case "merge":
  // For ever: the test kills it.
  attempt("open") { String(try store.quotes.summary().count) }
  var number = 1
  while true {
    number += 1
    do {
      let now = Date(timeIntervalSince1970: Double(number))
      _ = try store.quotes.merge(generation(number, count: count), syncedAt: now)
      say("merged")
    } catch {
      say("merge \(error.code)")
      exit(1)
    }
  }
case "fill":
  attempt("fill") {
    for number in 1...count {
      _ = try store.quotes.merge(generation(number, count: 200 * number), syncedAt: nil)
    }
    return ""
  }
  attempt("count") { String(try store.quotes.summary().count) }
case "raise":
  attempt("raise") {
    var last = 0
    for _ in 0..<count { last = try store.quotes.raiseReadCount(id: "q0", by: 1).readCount }
    return String(last)
  }
case "add":
  attempt("add") {
    for index in 0..<count { try store.tags.add("\(getpid()) \(index)") }
    return ""
  }
case "use":
  attempt("list") { String(try store.tags.list().count) }
  attempt("add") {
    try store.tags.add("added")
    return ""
  }
default:
  say("unknown command \(command)")
  exit(2)
}
store.close()
