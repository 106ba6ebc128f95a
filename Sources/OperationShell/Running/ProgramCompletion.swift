import ShellCommands
import ShellLanguage

/// The completions of the program's command line for other shells, generated from its options.
public enum ProgramCompletion: Sendable {
  /// The shells there are completions for.
  static let names = ["bash", "zsh", "fish"]

  /// Returns the completions for a shell, in its own language.
  ///
  /// - Parameter shell: `bash`, `zsh` or `fish`.
  /// - Returns: The completions, without the last line feed.
  /// - Throws: `CommandLineMisuse` for another shell.
  public static func text(for shell: String) throws -> String {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default:
      throw CommandLineMisuse(
        "'--completion' is bash, zsh or fish, and not '\(shell)'", options: ["--completion"])
    }
  }

  /// The spellings of the options that a value follows.
  private static let valueOptions = ProgramOption.all.filter { $0.value != nil }
    .flatMap(\.spellings)

  /// The codes that `explain` takes.
  private static let codes = ErrorCatalog.pages.map(\.topic).joined(separator: " ")

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }

  private static var bash: String {
    var cases = ""
    for option in ProgramOption.all {
      guard let value = option.value else { continue }
      let action =
        switch value {
        case .text: ":"
        case .choice(_, let words): "_opsh_words \(quoted(words.joined(separator: " ")))"
        case .file: "_opsh_paths -f"
        case .folder: "_opsh_paths -d"
        }
      cases += "    \(option.spellings.joined(separator: " | "))) \(action); return ;;\n"
    }
    let words = ProgramOption.all.flatMap(\.spellings).joined(separator: " ")
    return """
      # Completions of opsh for bash, printed by 'opsh --completion bash'.
      _opsh_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
      _opsh_paths() {
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen "$@" -- "$current")
      }
      _opsh() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        # bash splits '--color=never' in three.
        if [[ $current == = ]]; then
          current=
        elif [[ $previous == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        COMPREPLY=()
        # The first word that is no option and not the value of one: a script, or 'explain'.
        local first=1 hasOptions=1
        while (( first < COMP_CWORD )); do
          case ${COMP_WORDS[first]} in
            \(valueOptions.joined(separator: " | ")))
              if [[ ${COMP_WORDS[first + 1]} == = ]]; then (( first += 1 )); fi
              (( first += 2 )) ;;
            --) (( first += 1 )); hasOptions=; break ;;
            -?*) (( first += 1 )) ;;
            *) break ;;
          esac
        done
        # What follows it are its arguments.
        if (( first < COMP_CWORD )); then
          if [[ ${COMP_WORDS[first]} == explain ]] && (( first + 1 == COMP_CWORD )); then
            _opsh_words \(quoted(codes))
          fi
          return
        fi
        case $previous in
      \(cases)  esac
        if [[ -n $hasOptions && $current == -* ]]; then
          _opsh_words \(quoted(words))
          return
        fi
        local found=()
        _opsh_words explain
        found=("${COMPREPLY[@]}")
        _opsh_paths -d
        found+=("${COMPREPLY[@]}")
        _opsh_paths -f -X '!*.opsh'
        found+=("${COMPREPLY[@]}")
        COMPREPLY=("${found[@]}")
      }
      # Without a script that fits, any file.
      complete -o default -F _opsh opsh
      """
  }

  private static var zsh: String {
    var specifications: [String] = []
    for option in ProgramOption.all {
      var rest = "[\(escaped(option.help, "[]"))]"
      if let value = option.value {
        rest += ":" + escaped(value.placeholder, ":")
        switch value {
        case .text: rest += ": "
        case .choice(_, let words): rest += ":(\(words.joined(separator: " ")))"
        case .file: rest += ":_files"
        case .folder: rest += ":_files -/"
        }
      }
      let spellings = option.spellings
      if spellings.count > 1 {
        specifications.append(
          "'(\(spellings.joined(separator: " ")))'{\(spellings.joined(separator: ","))}"
            + quoted(rest))
      } else {
        specifications.append(quoted(spellings[0] + (option.value == nil ? "" : "=") + rest))
      }
    }
    specifications.append("'1: :_opsh_first'")
    specifications.append("'*: :_opsh_rest'")
    let list = specifications.map { "  " + $0 }.joined(separator: " \\\n")
    return """
      #compdef opsh
      # Completions of opsh for zsh, printed by 'opsh --completion zsh'.
      _opsh_first() {
        _alternative 'scripts:script:_files -g "*.opsh(-.)"' \\
          'commands:command:((explain\\:"say what an error means"))'
      }
      _opsh_rest() {
        if [[ ${line[1]-} != explain ]]; then
          _files
        elif (( ${#line} == 2 )); then
          local -a codes=(\(codes))
          _describe 'code of an error' codes
        fi
      }
      _arguments -s -S -A '-*' \\
      \(list)
      """
  }

  private static func escaped(_ text: String, _ characters: String) -> String {
    text.reduce(into: "") { result, character in
      if character == "\\" || characters.contains(character) { result += "\\" }
      result.append(character)
    }
  }

  private static var fish: String {
    var lines = [
      """
      # Completions of opsh for fish, printed by 'opsh --completion fish'.
      # The words before the cursor from the first one that is no option and not the value of one.
      function __opsh_script
          set -l words (commandline -opc)[2..]
          while set -q words[1]
              switch $words[1]
                  case \(valueOptions.joined(separator: " "))
                      set -e words[1]
                  case --
                      set -e words[1]
                      break
                  case '-?*'
                  case '*'
                      break
              end
              set -e words[1]
          end
          string join \\n -- $words
      end
      function __opsh_explains
          set -l words (__opsh_script)
          test "$words[1]" = explain
      end
      """
    ]
    let isFirst = "'not count (__opsh_script) >/dev/null'"
    for option in ProgramOption.all {
      var line = "complete -c opsh -n \(isFirst)"
      if let letter = option.letter { line += " -s \(letter)" }
      line += " -l " + option.name
      switch option.value {
      case nil: break
      case .text: line += " -x"
      case .choice(_, let words): line += " -x -a '\(words.joined(separator: " "))'"
      case .file: line += " -r -F"
      case .folder: line += " -x -a '(__fish_complete_directories)'"
      }
      // In fish, a backslash protects an apostrophe between apostrophes.
      lines.append(line + " -d '" + escaped(option.help, "'") + "'")
    }
    lines.append(
      "complete -c opsh -n \(isFirst) -a explain -d 'say what an error means'")
    lines.append(
      "complete -c opsh -n '__opsh_explains; and test (count (__opsh_script)) -eq 1' -x -a "
        + quoted(codes))
    lines.append("complete -c opsh -n __opsh_explains -f")
    lines.append(
      "complete -c opsh -n \(isFirst) -k -x -a '(__fish_complete_suffix .opsh)'")
    return lines.joined(separator: "\n")
  }
}
