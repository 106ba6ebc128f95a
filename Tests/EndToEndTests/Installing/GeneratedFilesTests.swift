import Foundation
import TestSupport
import Testing

@Suite("Manual pages and completions", .timeLimit(.minutes(15)))
struct GeneratedFilesTests {
  private func output(_ arguments: String...) throws -> String {
    let outcome = try Opsh.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    return outcome.output
  }

  @Test("groff formats a manual page without a warning", arguments: ["opsh", "opsh-language"])
  func manual(page: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(try output("--man", page), to: "page")
    let groff = try #require(InstalledProgram.path("groff"), "groff is not installed")
    let outcome = try ChildProcess.run(
      groff, arguments: ["-k", "-man", "-ww", "-P-c", "-Tutf8", file],
      environment: Opsh.environment())
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    // Overstruck letters are bold.
    let text = outcome.output.replacing(/.\u{8}/, with: "")
    #expect(text.contains(page == "opsh" ? "--practice-server PORT" : "--pagesize N"))
    #expect(text.contains(page == "opsh" ? "EXIT STATUS" : "fetch questions --pagesize"))
    for command in ["watch", "serve", "record", "replay", "export"] {
      #expect(text.contains(command), "\(command)")
    }
    // A word to type keeps its small letter at the start of a sentence.
    #expect(!text.contains("Auto, always") && !text.contains("Practice, live"))
    if page == "opsh" {
      for name in [
        "https_proxy", "NO_PROXY", "SSL_CERT_FILE", "NO_COLOR", "PAGER", "XDG_DATA_HOME",
      ] {
        #expect(text.contains(name), "\(name)")
      }
    }
  }

  @Test(
    "A manual page fits 80 columns, and keeps its signs without UTF-8",
    arguments: ["opsh", "opsh-language"])
  func columns(page: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(try output("--man", page), to: "page")
    let groff = try #require(InstalledProgram.path("groff"), "groff is not installed")
    for device in ["-Tutf8", "-Tascii"] {
      let outcome = try ChildProcess.run(
        groff, arguments: ["-k", "-man", "-ww", "-P-c", "-rLL=78n", device, file],
        environment: Opsh.environment())
      #expect(outcome.errors == "", "\(device)")
      let text = outcome.output.replacing(/.\u{8}/, with: "")
      #expect(text.contains(page == "opsh" ? "[FILE [ARG...]]" : "fetch tweets [TAG...]"))
      guard device == "-Tutf8" else { continue }
      for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      // What was broken can be typed as it stands.
      if page != "opsh" { #expect(text.contains(" \\\n") && text.contains("日本語")) }
    }
  }

  @Test("The manual page and every completion have every option of --help")
  func options() throws {
    let help = try output("--help")
    let names = help.matches(of: /--([a-z-]+)/).map { String($0.1) }
    #expect(names.count > 20)
    let page = try output("--man", "opsh").replacing("\\-", with: "-")
    let completions = try ["bash", "zsh", "fish"].map { try output("--completion", $0) }
    for name in names {
      #expect(page.contains("--" + name), "\(name)")
      #expect(completions[0].contains("--" + name), "\(name)")
      #expect(completions[1].contains("--" + name), "\(name)")
      #expect(completions[2].contains("-l \(name) "), "\(name)")
    }
    // The value may follow as a word, or after an equals sign.
    #expect(completions[1].contains("'--color=["))
    #expect(completions[1].contains("'--no-rc["))
  }

  @Test("The manual page of the language has a part for every command")
  func commands() throws {
    let page = try output("--man", "opsh-language").replacing("\\-", with: "-")
    let headings = try output("--reference").split(separator: "\n")
      .filter { $0.hasPrefix("### ") }.map { $0.dropFirst(4) }
    #expect(headings.count > 100)
    for heading in headings where !heading.contains(/['"\\`]/) {
      #expect(page.contains(".SS \"\(heading)\""), "\(heading)")
    }
  }

  @Test(
    "A shell accepts its completions",
    arguments: [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
  func syntax(shell: String, option: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(try output("--completion", shell), to: "completion")
    let program = try #require(InstalledProgram.path(shell), "\(shell) is not installed")
    let outcome = try ChildProcess.run(
      program, arguments: [option, file], environment: Opsh.environment(["HOME": folder.path]))
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  @Test(
    "bash completes options, values and scripts",
    arguments: [
      ("opsh --comp", "--completion\n"), ("opsh --color a", "auto\nalways\n"),
      ("opsh --color = n", "never\n"), ("opsh --color =", "auto\nalways\nnever\n"),
      ("opsh --data l", "lessons\n"),
      ("opsh l", "lessons\nlesson.opsh\n"), ("opsh exp", "explain\n"), ("opsh -c l", ""),
      ("opsh explain host-n", "host-not-found\n"), ("opsh explain api l", ""),
      ("opsh --json explain host-n", "host-not-found\n"), ("opsh --json exp", "explain\n"),
      ("opsh --timeout 3 explain host-n", "host-not-found\n"),
      ("opsh --color = never explain host-n", "host-not-found\n"),
      ("opsh lesson.opsh --comp", ""), ("opsh -- --comp", ""),
      ("opsh -c hi --comp", "--completion\n"),
      ("opsh lesson.opsh --color ", ""),
    ])
  func bash(words: String, expected: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(try output("--completion", "bash"), to: "completion")
    for name in ["lesson.opsh", "letter.txt", "lessons/other"] { try folder.write("", to: name) }
    let outcome = try ChildProcess.run(
      "/bin/bash",
      arguments: [
        "-c",
        ". ./completion; COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _opsh; "
          + "for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done", file,
      ], environment: Opsh.environment(), directory: folder.path)
    #expect(outcome.output == expected, "\(outcome.errors)")
  }

  @Test(
    "fish completes options, values, scripts and codes",
    arguments: [
      ("opsh --comp", ["--completion"]), ("opsh --color a", ["auto", "always"]),
      ("opsh --data l", ["lessons/"]), ("opsh lesson.", ["lesson.opsh"]),
      ("opsh exp", ["explain"]), ("opsh explain host-n", ["host-not-found"]),
      ("opsh explain api l", []), ("opsh --json explain host-n", ["host-not-found"]),
      ("opsh --timeout 3 exp", ["explain"]), ("opsh lesson.opsh --comp", []),
      ("opsh -c hi --comp", ["--completion"]),
    ] as [(String, [String])])
  func fish(line: String, expected: [String]) throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(try output("--completion", "fish"), to: "completion.fish")
    for name in ["lesson.opsh", "letter.txt", "lessons/other"] { try folder.write("", to: name) }
    let fish = try #require(InstalledProgram.path("fish"), "fish is not installed")
    let outcome = try ChildProcess.run(
      fish, arguments: ["--no-config", "-c", "source \(file); complete -C'\(line)'"],
      environment: Opsh.environment(["HOME": folder.path]), directory: folder.path)
    let found = outcome.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(Set(found.map(String.init)) == Set(expected), "\(outcome.errors)")
  }

  @Test(
    "A page or a shell that does not exist is an error with the ones that do",
    arguments: [("--man", "opsh or opsh-language"), ("--completion", "bash, zsh or fish")])
  func unknown(option: String, names: String) throws {
    let outcome = try Opsh.run([option, "tcsh"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'\(option)' is \(names), and not 'tcsh'"))
  }
}
