import Foundation
import ShellLanguage
import Testing

@testable import ShellCommands

@Suite("apropos", .timeLimit(.minutes(5)))
struct AproposTests {
  /// A public name of Foundation and the word after `help` that it leads to.
  struct Known: Sendable, CustomTestStringConvertible {
    let name: String
    let page: String
    var testDescription: String { name }

    init(_ name: String, _ page: String) {
      self.name = name
      self.page = page
    }
  }

  static let known: [Known] = [
    .init("Operation.init", "states"), .init("QueuePriority", "priority"),
    .init("Operation.start", "start"), .init("Operation.main", "main"),
    .init("Operation.cancel", "cancel"), .init("isCancelled", "isCancelled"),
    .init("isExecuting", "isExecuting"), .init("isFinished", "isFinished"),
    .init("isConcurrent", "isAsynchronous"), .init("isAsynchronous", "isAsynchronous"),
    .init("isReady", "isReady"), .init("Operation.name", "name"),
    .init("addDependency", "dependencies"), .init("addDependency(_:)", "dependencies"),
    .init("removeDependency", "dependencies"), .init("dependencies", "dependencies"),
    .init("queuePriority", "priority"), .init("completionBlock", "completionBlock"),
    .init("waitUntilFinished", "wait"), .init("waitUntilFinished()", "wait"),
    .init("threadPriority", "qos"), .init("qualityOfService", "qos"),
    .init("BlockOperation.init", "main"), .init("addExecutionBlock", "group"),
    .init("executionBlocks", "group"), .init("OperationQueue.init", "queue"),
    .init("addOperation", "queue add"), .init("addOperations", "start"),
    .init("addOperations(_:waitUntilFinished:)", "start"),
    .init("addBarrierBlock", "barrier"), .init("maxConcurrentOperationCount", "width"),
    .init("defaultMaxConcurrentOperationCount", "width"), .init("isSuspended", "queue pause"),
    .init("OperationQueue.name", "queue"), .init("OperationQueue.qualityOfService", "qos"),
    .init("underlyingQueue", "threads"), .init("cancelAllOperations", "queue cancel"),
    .init("waitUntilAllOperationsAreFinished", "wait queue"),
    .init("operations", "queue show"), .init("operationCount", "observe queue"),
    .init("OperationQueue.progress", "stats"), .init("OperationQueue.main", "main-queue"),
    .init("OperationQueue.current", "show"), .init("NSOperationQueue.main", "main-queue"),
  ]

  @Test("Every public name of Foundation leads to its page first", arguments: known)
  func leads(_ known: Known) throws {
    let fixture = try ShellFixture()
    let shown = try fixture.output(of: "apropos \"\(known.name)\"")
    let first = try #require(shown.first)
    #expect(first.hasPrefix("Foundation's "), "\(shown)")
    #expect(first.hasSuffix("(help \(known.page))"), "\(first)")
    #expect(try !fixture.output(of: "help \(known.page)").isEmpty)
  }

  @Test("The table knows every name, and each leads to a page")
  func table() throws {
    let fixture = try ShellFixture()
    for name in FoundationName.all {
      #expect(Self.known.contains { name.isNamed($0.name) }, "\(name.type).\(name.name)")
      #expect(try !fixture.output(of: "help \(name.page)").isEmpty, "\(name.name)")
    }
  }

  @Test(
    "What is about the word comes first",
    arguments: [
      ("isReady", "help isReady"), ("deadlock", "help deadlock"), ("finish", "finish"),
      ("asynchronous", "help isAsynchronous"), ("width", "help width"), ("cancel", "cancel"),
      ("kvo", "help kvo"), ("jam", "finish"), ("retry", "retry"), ("slot", "help slot"),
      ("priority", "priority"), ("barrier", "help barrier"), ("prior", "help prior"),
      ("circular", "help cycle"), ("pause", "pause"), ("observe", "observe"),
      ("log", "log"), ("wait", "wait"), ("group", "group"), ("threads", "help threads"),
      ("OperationQueue", "queue"), ("Operation.main()", "help main"), ("length", "length(VALUE)"),
      ("isSuspended", "queue pause"), ("upload", "post"), ("while", "while (E)"),
      ("\\.isFinished", "help isFinished"),
    ])
  func ranking(_ word: String, _ first: String) throws {
    let shown = try ShellFixture().output(of: "apropos '\(word)'")
      .filter { !$0.hasPrefix("Foundation's ") }
    #expect(shown.first?.hasPrefix(first + " ") == true, "\(shown)")
  }

  @Test(
    "'help' with a word that has no page names the pages about it",
    arguments: [
      ("faults", "help server faults"), ("har", "help export"), ("pipes", "help !"),
      ("'exit status'", "help status"), ("exit status", "help status"), ("handler", "help on"),
      ("expectation", "help expect"), ("uploads", "help post"),
    ])
  func suggestions(_ word: String, _ page: String) throws {
    let help = try #require(try ShellFixture().error(of: "help \(word)").help)
    #expect(help.contains("'\(page)'"), "\(help)")
  }

  @Test("What only mentions the word is listed by name at the end")
  func mentions() throws {
    let shown = try ShellFixture().output(of: "apropos slot")
    let row = try #require(shown.firstIndex { $0.hasPrefix("Also mentioned in: ") })
    #expect(row > 0)
    #expect(!shown[..<row].contains { $0.hasPrefix("finish ") })
    for line in shown { #expect(line.count <= 98, "\(line)") }
    // A word that everything mentions fills no screen.
    #expect(try ShellFixture().output(of: "apropos operation").count <= 20)
    let none = try ShellFixture().output(of: "apropos zzzz")
    #expect(none == ["no command is about 'zzzz'"])
  }

  @Test("A part of a name finds the names, unless there are many")
  func parts() throws {
    let fixture = try ShellFixture()
    let found = try fixture.output(of: "apropos maxConcurrent")
    #expect(found.filter { $0.hasPrefix("Foundation's ") }.count == 2)
    let many = try fixture.output(of: "apropos operation")
    #expect(!many.contains { $0.hasPrefix("Foundation's ") })
    // The class decides where two have the same name.
    let main = try fixture.output(of: "apropos OperationQueue.main")
    #expect(main.filter { $0.hasPrefix("Foundation's ") }.count == 1)
  }
}
