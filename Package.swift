// swift-tools-version: 6.2
import PackageDescription

// What every group of commands may use.
let commandNeeds: [Target.Dependency] = [
  "ShellSession", "ShellOutput", "OpshProcesses", "FoundationProcess", "Operations",
  "OpshNetworking",
  "PracticeServer", "ShellLanguage", "OpshTerminal", "OpshLocking", "OpshSupport",
  "OpshSystemCalls", "OpshJSON",
  "OpshWebAPIs", "OpshSecrets",
]

// The C libraries come from the system. `COpshCurl`, `COpshMicroHTTPD` and `COpshSQLite` are opened
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
      name: "COpshLibEdit", pkgConfig: "libedit",
      providers: [.apt(["libedit-dev"]), .brew(["libedit"])]),
    .systemLibrary(
      name: "COpshCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "COpshSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "COpshMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "COpshZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(name: "COpshSystem"),
    .target(name: "CTerminalRescue"),
    .target(name: "CBuildCommit"),
    // Texts that are compiled in with `#embed`, so that the binary needs no file beside it.
    .target(name: "COpshTexts", exclude: ["Data", "Errors", "Help", "Page"]),

    .target(name: "OpshLocking"),
    .target(name: "OpshSupport", dependencies: ["OpshLocking"]),
    .target(name: "OpshSystemCalls", dependencies: ["COpshSystem"]),
    // The texts of `COpshTexts` for the targets that show them or draw from them.
    .target(name: "OpshTexts", dependencies: ["OpshSupport", "COpshTexts"]),
    .target(name: "OpshJSON"),
    .target(name: "OpshWebAPIs", dependencies: ["OpshJSON", "OpshSupport"]),
    .target(name: "OpshCompression", dependencies: ["COpshZlib"]),
    .target(name: "OpshSecrets", dependencies: ["OpshLocking", "OpshSupport"]),
    .target(name: "Operations", dependencies: ["OpshLocking", "OpshSupport"]),
    .target(
      name: "OpshNetworking",
      dependencies: [
        "Operations", "OpshLocking", "OpshSupport", "OpshSystemCalls", "OpshJSON", "OpshWebAPIs",
        "OpshCompression",
        "OpshSecrets", "COpshCurl",
      ]),
    .target(
      name: "OpshPersistence",
      dependencies: [
        "OpshNetworking", "OpshLocking", "OpshSupport", "OpshSystemCalls", "OpshCompression",
        "COpshSQLite",
      ]),
    .target(
      name: "OpshHTTPServing",
      dependencies: ["OpshLocking", "OpshSupport", "OpshSystemCalls", "COpshMicroHTTPD"]),
    .target(
      name: "PracticeServer",
      dependencies: [
        "OpshHTTPServing", "OpshLocking", "OpshSupport", "OpshJSON", "OpshWebAPIs",
        "OpshCompression", "OpshSecrets", "OpshTexts",
      ]),
    .target(
      name: "SessionServer",
      dependencies: [
        "OpshHTTPServing", "OpshLocking", "OpshSupport", "OpshJSON", "OpshCompression",
      ]),
    .target(name: "FoundationProcess", dependencies: ["OpshLocking"]),
    .target(name: "ShellLanguage", dependencies: ["OpshLocking"]),
    .target(
      name: "OpshTerminal",
      dependencies: [
        "OpshLocking", "OpshSystemCalls", "COpshLibEdit", "COpshSystem", "CTerminalRescue",
      ]),
    .target(name: "OpshTranscripts", dependencies: ["ShellLanguage"]),
    .target(
      name: "OpshProcesses",
      dependencies: [
        "ShellOutput", "OpshNetworking", "Operations", "ShellLanguage", "OpshTerminal",
        "OpshLocking",
        "OpshSystemCalls", "COpshSystem",
      ]),
    .target(
      name: "ShellOutput",
      dependencies: [
        "Operations", "ShellLanguage", "OpshJSON", "OpshTerminal", "OpshLocking", "OpshSupport",
        "OpshSystemCalls",
        "OpshSecrets", "COpshSystem",
      ]),
    .target(
      name: "ShellSession",
      dependencies: [
        "ShellOutput", "OpshProcesses", "OpshTranscripts", "FoundationProcess",
        "Operations", "OpshNetworking", "OpshPersistence", "PracticeServer", "ShellLanguage",
        "OpshTerminal",
        "OpshLocking", "OpshSupport", "OpshSystemCalls", "OpshWebAPIs", "OpshSecrets",
        "COpshSystem", "CBuildCommit",
      ]),
    // What several groups of commands share.
    .target(name: "CommandParts", dependencies: ["OpshTexts"] + commandNeeds),
    // The groups of commands, which do not know one another.
    .target(name: "BuildCommands", dependencies: ["CommandParts"] + commandNeeds),
    .target(name: "InspectCommands", dependencies: ["CommandParts"] + commandNeeds),
    .target(name: "SteerCommands", dependencies: ["CommandParts"] + commandNeeds),
    .target(
      name: "WorldCommands", dependencies: ["CommandParts", "OpshHTTPServing"] + commandNeeds),
    .target(
      name: "ViewCommands",
      dependencies: ["CommandParts", "OpshTexts", "SessionServer", "OpshHTTPServing"]
        + commandNeeds),
    // The list of all commands, help, and the commands for the shell itself.
    .target(
      name: "ShellCommands",
      dependencies: [
        "CommandParts", "BuildCommands", "InspectCommands", "SteerCommands", "WorldCommands",
        "ViewCommands", "OpshTexts",
      ] + commandNeeds),
    .target(
      name: "OperationShell",
      dependencies: [
        "ShellCommands", "CommandParts", "InspectCommands", "ShellSession", "ShellOutput",
        "OpshProcesses", "OpshTranscripts",
        "Operations", "OpshNetworking", "PracticeServer", "ShellLanguage", "OpshTerminal",
        "OpshLocking",
        "OpshSupport", "OpshSystemCalls", "COpshSystem",
      ]),
    .executableTarget(
      name: "opsh", dependencies: ["OperationShell", "ShellSession", "FoundationProcess"]),
    .executableTarget(
      name: "opsh-bench",
      dependencies: [
        "Operations", "OpshNetworking", "OpshPersistence", "PracticeServer", "OpshCompression",
        "OpshLocking",
        "OpshSupport", "TestSupport",
      ]),

    .target(
      name: "TestSupport", dependencies: ["OpshJSON", "OpshLocking", "COpshSystem"],
      path: "Tests/TestSupport"),
    .testTarget(name: "OpshLockingTests", dependencies: ["OpshLocking"]),
    .testTarget(name: "OpshSupportTests", dependencies: ["OpshSupport", "OpshLocking"]),
    .testTarget(name: "OpshJSONTests", dependencies: ["OpshJSON"]),
    .testTarget(name: "OpshCompressionTests", dependencies: ["OpshCompression"]),
    .testTarget(name: "OpshSecretsTests", dependencies: ["OpshSecrets"]),
    .testTarget(
      name: "OperationsTests",
      dependencies: ["Operations", "OpshLocking", "OpshSupport", "TestSupport"]),
    // What only optimized code shows; `scripts/test --more` builds and runs it.
    .executableTarget(
      name: "engine-check", dependencies: ["Operations", "OpshLocking"], path: "Tests/EngineCheck"),
    .testTarget(
      name: "OpshNetworkingTests",
      dependencies: [
        "OpshNetworking", "Operations", "OpshLocking", "OpshSupport", "OpshCompression",
        "PracticeServer",
        "OpshWebAPIs", "TestSupport",
      ]),
    // Not a test itself: what tests of several processes run as the others.
    .executableTarget(
      name: "store-worker", dependencies: ["OpshPersistence", "OpshNetworking"],
      path: "Tests/StoreWorker"),
    .testTarget(
      name: "OpshPersistenceTests",
      dependencies: [
        "OpshPersistence", "OpshNetworking", "Operations", "OpshLocking", "TestSupport",
        "store-worker",
      ]),
    .testTarget(
      name: "PracticeServerTests",
      dependencies: [
        "PracticeServer", "OpshHTTPServing", "OpshSupport", "OpshJSON", "OpshWebAPIs",
        "OpshCompression",
        "TestSupport",
      ]),
    .testTarget(
      name: "SessionServerTests",
      dependencies: ["SessionServer", "OpshHTTPServing", "OpshLocking", "TestSupport"]),
    .testTarget(
      name: "ShellLanguageTests", dependencies: ["ShellLanguage", "OpshLocking", "TestSupport"]),
    .testTarget(
      name: "OpshTerminalTests",
      dependencies: ["OpshTerminal", "OpshLocking", "OpshSystemCalls", "TestSupport"]),
    .testTarget(
      name: "OperationShellTests",
      dependencies: [
        "OperationShell", "ShellCommands", "CommandParts", "BuildCommands", "InspectCommands",
        "SteerCommands", "WorldCommands", "ViewCommands", "ShellSession", "ShellOutput",
        "OpshProcesses",
        "OpshTranscripts",
        "Operations", "OpshNetworking", "OpshPersistence", "ShellLanguage", "OpshTerminal",
        "OpshLocking",
        "OpshSupport", "FoundationProcess", "OpshTexts",
        "PracticeServer", "TestSupport",
      ]),
    .testTarget(name: "BenchmarkTests", dependencies: ["opsh-bench", "TestSupport"]),
    .testTarget(
      name: "EndToEndTests", dependencies: ["opsh", "PracticeServer", "OpshLocking", "TestSupport"]),
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
