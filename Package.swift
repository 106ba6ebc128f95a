// swift-tools-version: 6.2
import PackageDescription

// What every group of commands may use.
let commandNeeds: [Target.Dependency] = [
  "ShellSession", "ShellOutput", "Processes", "FoundationProcess", "Operations", "Networking",
  "PracticeServer", "ShellLanguage", "Terminal", "Locking", "Support", "SystemCalls", "JSON",
  "WebAPIs", "Secrets",
]

// The C libraries come from the system. `CCurl`, `CMicroHTTPD` and `CSQLite` are opened
// at run time (see their shims), so that a start does not pay for the thirty libraries
// behind them; `scripts/opsh` tells the linker to drop what no symbol needs.
let package = Package(
  name: "opsh",
  products: [
    .executable(name: "opsh", targets: ["opsh"]),
    .library(name: "Operations", targets: ["Operations"]),
  ],
  targets: [
    .systemLibrary(
      name: "CLibEdit", pkgConfig: "libedit",
      providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(name: "CSystem"),
    .target(name: "CTerminalRescue"),
    .target(name: "CBuildCommit"),
    // Texts that are compiled in with `#embed`, so that the binary needs no file beside it.
    .target(name: "CTexts", exclude: ["Page"]),

    .target(name: "Locking"),
    .target(name: "Support"),
    .target(name: "SystemCalls", dependencies: ["CSystem"]),
    .target(name: "JSON"),
    .target(name: "WebAPIs", dependencies: ["JSON", "Support"]),
    .target(name: "Compression", dependencies: ["CZlib"]),
    .target(name: "Secrets", dependencies: ["Locking", "Support"]),
    .target(name: "Operations", dependencies: ["Locking", "Support"]),
    .target(
      name: "Networking",
      dependencies: [
        "Operations", "Locking", "Support", "SystemCalls", "JSON", "WebAPIs", "Compression",
        "Secrets", "CCurl",
      ]),
    .target(
      name: "Persistence",
      dependencies: [
        "Networking", "Locking", "Support", "SystemCalls", "Compression", "CSQLite",
      ]),
    .target(
      name: "HTTPServing", dependencies: ["Locking", "Support", "SystemCalls", "CMicroHTTPD"]),
    .target(
      name: "PracticeServer",
      dependencies: [
        "HTTPServing", "Locking", "Support", "JSON", "WebAPIs", "Compression", "Secrets",
      ]),
    .target(
      name: "SessionServer",
      dependencies: ["HTTPServing", "Locking", "Support", "JSON", "Compression"]),
    .target(name: "FoundationProcess", dependencies: ["Locking"]),
    .target(name: "ShellLanguage", dependencies: ["Locking"]),
    .target(
      name: "Terminal",
      dependencies: ["Locking", "SystemCalls", "CLibEdit", "CSystem", "CTerminalRescue"]),
    .target(name: "Transcripts", dependencies: ["ShellLanguage"]),
    .target(
      name: "Processes",
      dependencies: [
        "ShellOutput", "Networking", "Operations", "ShellLanguage", "Terminal", "Locking",
        "SystemCalls", "CSystem",
      ]),
    .target(
      name: "ShellOutput",
      dependencies: [
        "Operations", "ShellLanguage", "JSON", "Terminal", "Locking", "Support", "SystemCalls",
        "Secrets", "CSystem",
      ]),
    .target(
      name: "ShellSession",
      dependencies: [
        "ShellOutput", "Processes", "Transcripts", "FoundationProcess",
        "Operations", "Networking", "Persistence", "PracticeServer", "ShellLanguage", "Terminal",
        "Locking", "Support", "SystemCalls", "WebAPIs", "Secrets", "CSystem", "CBuildCommit",
      ]),
    // The page of `export FILE.html` and `serve`.
    .target(name: "WebPage", dependencies: ["Support", "CTexts"]),
    // What several groups of commands share.
    .target(name: "CommandParts", dependencies: commandNeeds),
    // The groups of commands, which do not know one another.
    .target(name: "BuildCommands", dependencies: ["CommandParts"] + commandNeeds),
    .target(name: "InspectCommands", dependencies: ["CommandParts"] + commandNeeds),
    .target(name: "SteerCommands", dependencies: ["CommandParts"] + commandNeeds),
    .target(name: "WorldCommands", dependencies: ["CommandParts", "HTTPServing"] + commandNeeds),
    .target(
      name: "ViewCommands",
      dependencies: ["CommandParts", "WebPage", "SessionServer", "HTTPServing"] + commandNeeds),
    // The list of all commands, help, and the commands for the shell itself.
    .target(
      name: "ShellCommands",
      dependencies: [
        "CommandParts", "BuildCommands", "InspectCommands", "SteerCommands", "WorldCommands",
        "ViewCommands",
      ] + commandNeeds),
    .target(
      name: "OperationShell",
      dependencies: [
        "ShellCommands", "CommandParts", "InspectCommands", "ShellSession", "ShellOutput",
        "Processes", "Transcripts",
        "Operations", "Networking", "PracticeServer", "ShellLanguage", "Terminal", "Locking",
        "Support", "SystemCalls", "CSystem",
      ]),
    .executableTarget(
      name: "opsh", dependencies: ["OperationShell", "ShellSession", "FoundationProcess"]),
    .executableTarget(
      name: "opsh-bench",
      dependencies: [
        "Operations", "Networking", "Persistence", "PracticeServer", "Compression", "Locking",
        "Support", "TestSupport",
      ]),

    .target(
      name: "TestSupport", dependencies: ["JSON", "Locking", "CSystem"],
      path: "Tests/TestSupport"),
    .testTarget(name: "LockingTests", dependencies: ["Locking"]),
    .testTarget(name: "SupportTests", dependencies: ["Support"]),
    .testTarget(name: "JSONTests", dependencies: ["JSON"]),
    .testTarget(name: "CompressionTests", dependencies: ["Compression"]),
    .testTarget(name: "SecretsTests", dependencies: ["Secrets"]),
    .testTarget(
      name: "OperationsTests", dependencies: ["Operations", "Locking", "Support", "TestSupport"]),
    // What only optimized code shows; `scripts/test --more` builds and runs it.
    .executableTarget(
      name: "engine-check", dependencies: ["Operations", "Locking"], path: "Tests/EngineCheck"),
    .testTarget(
      name: "NetworkingTests",
      dependencies: [
        "Networking", "Operations", "Locking", "Support", "Compression", "PracticeServer",
        "WebAPIs", "TestSupport",
      ]),
    // Not a test itself: what tests of several processes run as the others.
    .executableTarget(
      name: "store-worker", dependencies: ["Persistence", "Networking"],
      path: "Tests/StoreWorker"),
    .testTarget(
      name: "PersistenceTests",
      dependencies: [
        "Persistence", "Networking", "Operations", "Locking", "TestSupport", "store-worker",
      ]),
    .testTarget(
      name: "PracticeServerTests",
      dependencies: [
        "PracticeServer", "HTTPServing", "Support", "JSON", "WebAPIs", "Compression",
        "TestSupport",
      ]),
    .testTarget(
      name: "SessionServerTests", dependencies: ["SessionServer", "Locking", "TestSupport"]),
    .testTarget(
      name: "ShellLanguageTests", dependencies: ["ShellLanguage", "Locking", "TestSupport"]),
    .testTarget(
      name: "TerminalTests", dependencies: ["Terminal", "Locking", "SystemCalls", "TestSupport"]),
    .testTarget(
      name: "OperationShellTests",
      dependencies: [
        "OperationShell", "ShellCommands", "CommandParts", "BuildCommands", "InspectCommands",
        "SteerCommands", "WorldCommands", "ViewCommands", "ShellSession", "ShellOutput",
        "Processes",
        "Transcripts",
        "Operations", "Networking", "Persistence", "ShellLanguage", "Terminal", "Locking",
        "Support", "FoundationProcess", "WebPage",
        "PracticeServer", "TestSupport",
      ]),
    .testTarget(name: "BenchmarkTests", dependencies: ["opsh-bench", "TestSupport"]),
    .testTarget(
      name: "EndToEndTests", dependencies: ["opsh", "PracticeServer", "Locking", "TestSupport"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    .treatWarning("ExplicitSendable", as: .error),
  ]
}

// `scripts/try` names a target: what neither it nor its tests need is not part of the package then.
if let name = Context.environment["OPSH_ONLY"] {
  let needs = Dictionary(
    uniqueKeysWithValues: package.targets.map { target in
      let dependencies = target.dependencies.compactMap { dependency -> String? in
        if case .byNameItem(let name, _) = dependency { name } else { nil }
      }
      return (target.name, dependencies)
    })
  guard needs[name] != nil else {
    fatalError(
      "there is no target '\(name)'; one of: \(needs.keys.sorted().joined(separator: " "))")
  }
  var needed: Set<String> = []
  var open = [name, name + "Tests"]
  while let next = open.popLast() {
    if let dependencies = needs[next], needed.insert(next).inserted { open += dependencies }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll()
}
