import TestSupport
import Testing

/// Names of files that are not UTF-8, as old archives and file systems have them.
@Suite("File names that are not UTF-8", .timeLimit(.minutes(5)))
struct FileNameTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What runs in an empty folder.
    let command: String
    let output: String

    init(_ description: String, _ command: String, _ output: String) {
      (testDescription, self.command, self.output) = (description, command, output)
    }
  }

  @Test(
    "They work wherever a file is named",
    arguments: [
      Case(
        "script, argument and 'source'",
        #"echo 'echo here; source $1' > $'\xff.opsh'; echo 'echo there' > $'\xe9.opsh'; "#
          + #""$OPSH" $'\xff.opsh' $'\xe9.opsh'"#, "here\nthere\n"),
      Case(
        "'--check'", #"echo 'echo (' > $'\xe9'; "$OPSH" --check $'\xe9' 2>&1 | head -1"#,
        "\\xE9:1:6: error: this parenthesis is never closed [unclosed-parenthesis]\n"),
      Case("'--format'", #"echo 'echo  a' > $'\xe9'; "$OPSH" --format $'\xe9'"#, "echo a\n"),
      Case(
        "'--test' of a folder",
        #"mkdir -p $'\xe9/\xff'; echo 'echo a' > $'\xe9/\xff/\xe9.opsh'; "#
          + #""$OPSH" --test $'\xe9' 2>/dev/null | grep -o '^ok 1 - [^ ]*'; "$OPSH" "#
          + #"--junit $'\xff.xml' --test $'\xe9/\xff/\xe9.opsh' >/dev/null 2>&1; ls -b *.xml"#,
        "ok 1 - \\xE9/\\xFF/\\xE9.opsh\n\\377.xml\n"),
      Case(
        "'--output', 'download' and '--file'",
        #""$OPSH" -c 'get / --output $1; download / $2; wait"#
          + #"; put /classes/Quote --file $1; wait --any-outcome' $'\xe9' $'\xff' 2>/dev/null; "#
          + #"ls -b; cmp $'\xe9' $'\xff'"#, "\\351\n\\377\n"),
      Case(
        "'--data'",
        #""$OPSH" --data $'\xe9/\xff' -c 'tags add a' >/dev/null; "$OPSH" --data $'\xe9/\xff' "#
          + #"-c 'tags list'; ls -b * "#, "a\n\\377\n"),
      Case(
        "'>', '>>', programs, 'export', 'record' and '--transcript'",
        #""$OPSH" --transcript $'\xe8' -c 'echo a > $1; echo b >> $1; run --name r cat $1; wait; "#
          + #"result r; !cat $1; record $2; export $3' $'\xe9' $'\xff' $'\xfe.csv' 2>/dev/null "#
          + #"| grep -v ' '; ls -b"#, "a\nb\na\nb\n\\350\n\\351\n\\376.csv\n\\377\n"),
      Case(
        "environment and working directory",
        #"mkdir $'\xe9'; cd $'\xe9'; echo 'echo there' > a; export F=$'\xff'; "#
          + #""$OPSH" -c 'source a; echo b > $env.F; !cat "$F"'; ls -b"#, "there\nb\na\n\\377\n"),
      Case(
        "names that are the UTF-8 of the characters that stand for bytes",
        #""$OPSH" -c 'echo a > $1; echo b > $2' $'\xe9' $'\xf4\x8f\xbf\xa9'; "#
          + #"cat $'\xe9' $'\xf4\x8f\xbf\xa9'"#, "a\nb\n"),
    ])
  func names(one: Case) throws {
    let folder = try TemporaryFolder()
    let outcome = try Opsh.shell("cd '\(folder.path)'; " + one.command)
    #expect(outcome.output == one.output, "\(outcome.errors)")
  }

  @Test("The text of '-c' must be UTF-8, and nothing of it runs otherwise")
  func text() throws {
    let outcome = try Opsh.shell(#""$OPSH" -c $'echo a; echo \xff'"#)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("-c:1:14: error: the script is not valid UTF-8 [invalid-utf8]"))
  }
}
