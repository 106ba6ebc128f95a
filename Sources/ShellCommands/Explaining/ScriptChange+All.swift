extension ScriptChange {
  /// Every change, in the order of the page.
  package static let all: [ScriptChange] = names + text + statements + output

  private static let names: [ScriptChange] = [
    ScriptChange(
      title: "Names of operations can be used again",
      meaning: """
        A name is taken only while its operation is unfinished. After that a new operation can \
        have it, and the name means the newest one; the id means each one for ever. 'expect', \
        'never', 'on', 'wait' and '--after' use the operation that has the name when the \
        statement begins. The numbers of automatic names are never used twice.
        """,
      old: "delay 1ms --name a; wait; delay 1ms --name b",
      new: "delay 1ms --name a; wait; delay 1ms --name a",
      check: "warns where nothing waits between two uses of a name"),
    ScriptChange(
      title: "A definition or an alias can have the name of a command",
      meaning: """
        It replaces the command for the rest of the run, with a warning, so that a new command \
        never breaks a saved script. Words of the language, such as 'if', 'let' and 'command', \
        are refused.
        """,
      old: "def my-version { echo 7 }",
      new: "def version { echo 7 }",
      check: "warns where a definition or an alias replaces a command"),
    ScriptChange(
      title: "A 'let' in a definition is local to the call",
      meaning: """
        It no longer assigns a variable of the same name outside the 'def'. A 'let' in a block \
        inside the 'def', or in a file that is sourced there, makes or assigns the variable of \
        the call, too. To hand a value out, return it.
        """,
      old: "let total = 0\ndef add n { let total = ($total + $n) }\nadd 2; echo $total",
      new: "let total = 0\ndef add n { return ($total + $n) }\nlet total = add 2; echo $total",
      check: "warns where a 'let' in a 'def' has the name of a variable outside"),
  ]

  private static let text: [ScriptChange] = [
    ScriptChange(
      title: "'${name}' in a text is the variable",
      meaning: """
        A lone name in '${…}' was the text of the name. It is now the value of the variable, and \
        an error if there is none. '${name.property}' is a property of the operation or the queue; \
        if only a variable has the name, it is the variable's.
        """,
      old: "let page = 2; echo \"page $page\"",
      new: "let page = 2; echo \"page ${page}\"",
      check: "error: there is no variable of that name"),
    ScriptChange(
      title: "Null in a text is an error",
      meaning: """
        A null in a text, in a name or in an option's value stops the statement: it used to \
        become the text 'null'. A list that holds null is as little a text, and functions that \
        need a text refuse both. 'A ?? B' gives B where A is null, or an element, a record key, \
        an argument or an environment variable that is absent. 'echo $x' alone still prints null.
        """,
      old: "echo \"Bearer $env.TOKEN\"",
      new: "echo \"Bearer ${env.TOKEN ?? \"none\"}\"",
      check: "nothing: whether a value is null shows when the script runs"),
    ScriptChange(
      title: "Numbers keep their spelling",
      meaning: """
        A number that is written 1.10 or 007, as a word or in a variable, keeps that text when it \
        is printed or put into a text. In an expression it does not: (1.10) prints 1.1.
        """,
      old: "let v = 1.10; echo $v  # printed 1.1",
      new: "let v = 1.10; echo $v  # prints 1.10",
      check: "nothing"),
  ]

  private static let statements: [ScriptChange] = [
    ScriptChange(
      title: "'!' ends at a line break, an unquoted ';' or the '}' of its block",
      meaning: """
        opsh knows quotes and backslashes of the system's shell, and no compound commands: a loop, \
        an 'if' or a 'case' goes into 'sh -c'.
        """,
      old: "!for n in 1 2; do echo $n; done",
      new: "!sh -c 'for n in 1 2; do echo $n; done'",
      check: "an error where a compound command is cut off"),
    ScriptChange(
      title: "The practice server's Parse service knows fewer constraints",
      meaning: """
        It compares, sorts, limits and counts. '$regex', subqueries, relations and 'include' are \
        refused with error 102 of Parse.
        """,
      old: #"get '/1/classes/Quote?where={"text":{"$regex":"so"}}'"#,
      new: #"get '/1/classes/Quote?where={"readCount":{"$gte":3}}'"#,
      check: "nothing"),
    ScriptChange(
      title: "Which failures an expectation covers",
      meaning: """
        A failure counts as expected where evaluating a met 'expect' read 'outcome', 'error', \
        'status', 'refusal' or 'cancelled' of the failed operation itself, or where \
        '--any-outcome' of 'wait', 'wait queue' or 'queue drain', or 'try', covered it. Reading \
        another property, such as 'state' or 'id', a met 'never', or a handler of 'on', no longer \
        does. An 'expect' that reads the outcome of a group does not cover the operations in it.
        """,
      old: "expect (questions-1.state == finished) within 2s",
      new: "expect (questions-1.outcome == failed) within 2s",
      check: "nothing: which operations fail shows when the script runs"),
    ScriptChange(
      title: "'never' looks back where its end holds already",
      meaning: """
        Where the expression after 'until' holds when the statement begins, 'never' looks through \
        the log from the start of the run; it used to be met at once. Where the log no longer \
        reaches back so far, that is an error.
        """,
      old: "delay 1ms; wait; never (last.state == executing) until (last.finished)",
      new: "delay 1ms; wait; never (last.outcome == failed) until (last.finished)",
      check: "nothing: when an expression holds shows when the script runs"),
    ScriptChange(
      title: "'wait queue' and 'queue drain' cover what has failed before",
      meaning: """
        A failure on the queue that nothing has covered so far is an error of the wait, also if \
        the operation failed before the wait began; '--any-outcome' covers it. It used to depend \
        on whether the operation or the statement was faster.
        """,
      old: "block { fail \"no\" }; sleep 1s; wait queue network",
      new: "block { fail \"no\" }; sleep 1s; wait queue network --any-outcome",
      check: "nothing: which operations fail shows when the script runs"),
    ScriptChange(
      title: "'duration' and 'wait' of an operation are null until they are over",
      meaning: """
        In expressions and in '--where' they are no longer the time up to now. 'running' and \
        'waiting' are the live values, and equal to them once they are over.
        """,
      old: "expect (delay-1.duration > 5ms) within 1s",
      new: "expect (delay-1.running > 5ms) within 1s",
      check: "nothing"),
    ScriptChange(
      title: "Words of 'for' that are ranges and patterns",
      meaning: """
        An unquoted word with '..' between two integers or variables is a range, which is empty \
        where its end is below its start. An unquoted word with a '*' is a pattern of operations, \
        and 'all' is all of them. What a variable holds is never read as either; '(ops)' in an \
        expression is an error.
        """,
      old: "for i in (1..3) { echo $i }\nfor op in \"questions-*\" { show $op }",
      new: "for i in 1..3 { echo $i }\nfor op in questions-* { show $op }",
      check: "error where a range that is written out ends below its start"),
    ScriptChange(
      title: "A word of 'for' that begins with '!' is an error",
      meaning: """
        It was a text, although '!' after 'let NAME =' runs a program. A text that begins with '!' \
        is quoted.
        """,
      old: "for name in !ls { echo $name }",
      new: "let names = !ls; for name in (split($names, \"\\n\")) { echo $name }",
      check: "error, with the form to use"),
    ScriptChange(
      title: "'let x = !PROGRAM' keeps the output of the program",
      meaning: """
        The value is the program's standard output without its final newlines. A status other \
        than 0 fails the statement, and so does output that is not UTF-8.
        """,
      old: "!date > today.txt",
      new: "let today = !date",
      check: "nothing"),
    ScriptChange(
      title: "On the virtual clock, what is due when a wait ends happens before",
      meaning: """
        'sleep', and a time limit of 'wait' or 'expect', first let happen what is due at that \
        time. Whether it came before or after depended on nanoseconds.
        """,
      old: "set clock virtual; delay 0s; sleep 0s; echo (last.state)  # executing",
      new: "set clock virtual; delay 0s; sleep 0s; echo (last.state)  # finished",
      check: "nothing"),
    ScriptChange(
      title: "The time limit of the run ends it with status 124",
      meaning: """
        '--timeout DURATION' ended a run with status 1; it is 124, as with the program 'timeout', \
        also in the summary of '--json'.
        """,
      old: "opsh --timeout 1s FILE  # status 1",
      new: "opsh --timeout 1s FILE  # status 124",
      check: "nothing"),
  ]

  private static let output: [ScriptChange] = [
    ScriptChange(
      title: "The table of 'ops' says why an operation waits",
      meaning: """
        The column 'waits for' named dependencies only. It is called 'why', and has the nearest \
        reason of every kind, as in 'tree': a paused or full queue, a dependency, a delay. In \
        '--json', 'dependencies' are as before; 'waits' of 'tree --json' has some other words, and \
        says what an executing operation waits for, too.
        """,
      old: "ops | grep load  # 2  parse  …  load",
      new: "ops | grep load  # 2  parse  …  waits for load",
      check: "nothing"),
    ScriptChange(
      title: "'>' and '|' deliver the exact bytes",
      meaning: """
        A file or a program receives the bytes of a command's output as they are, whatever 'opsh \
        --json' says. Making control characters visible is for terminals alone. A command's own \
        '--json' gives its objects to the file or the program.
        """,
      old: "result get-1 > page.bin  # control characters were rewritten",
      new: "result get-1 > page.bin  # the bytes of the body",
      check: "nothing"),
    ScriptChange(
      title: "'result' gives the response of a refused request",
      meaning: """
        A response with a status outside 200 to 299 is kept, also of 'fetch': 'result' shows its \
        status, headers and body, and its value has them. It used to end with an error. A header \
        that came more than once is a list of texts, numbers keep all their digits, and \
        'encoding' says how 'body' is written: json, text or base64.
        """,
      old: "try { result get-1 } catch e { echo $e.message }",
      new: "let answer = result get-1; echo $answer.status",
      check: "nothing"),
    ScriptChange(
      title: "A digit or '&' directly before '>' is an error",
      meaning: """
        '2>', '2>&1' and '&>' of other shells have no meaning in opsh. A digit that is an \
        argument needs a space before '>'.
        """,
      old: "echo 2> file",
      new: "echo 2 > file",
      check: "error, with the form to use"),
    ScriptChange(
      title: "The code of an error stands at the end of its line",
      meaning: """
        Each error says 'error: MESSAGE [code]'; 'explain CODE' says what a code means. At the \
        prompt on a terminal, errors of one-line input leave out the place, which the caret \
        shows. Transcripts, '--json' and longer input keep it.
        """,
      old: "tour.opsh:3:7: error: there is no variable 'x'",
      new: "tour.opsh:3:7: error: there is no variable 'x' [undefined-variable]",
      check: "nothing"),
    ScriptChange(
      title: "More commands print objects with '--json'",
      meaning: """
        'stats', 'timeline', 'tree' and 'deps' print one object a row, named after the command; \
        'quotes', 'tags', 'cache', 'server', 'endpoint' and 'set' print one object an item, and so \
        do 'queue order', 'queue route' and 'stats threads'. They were 'message' objects that held \
        the text. The pace of a queue is a key of its object, and not a 'message' after it.
        """,
      old: #"{"type":"message","command":"stats","text":"…"}"#,
      new: #"{"type":"stats",…}"#,
      check: "nothing"),
    ScriptChange(
      title: "The seconds of a 'diagram' object are its 'at'",
      meaning: """
        Objects of 'diagram --json' had the key 'time' twice: the date of every object, and the \
        seconds since the start, of which most programs read the second. 'time' is the date alone.
        """,
      old: #"{"type":"diagram",…,"time":0.312}"#,
      new: #"{"type":"diagram",…,"at":0.312}"#,
      check: "nothing"),
    ScriptChange(
      title: "The critical path of 'blame' has the phases of requests",
      meaning: """
        A request had one step of the path with the cause 'work'. Each phase of its transfer is a \
        step, with the cause that the sums of 'blame' give it, such as 'first-byte' or 'body'.
        """,
      old: #"{"type":"blame","part":"path","cause":"work",…}"#,
      new: #"{"type":"blame","part":"path","cause":"first-byte",…}"#,
      check: "nothing"),
    ScriptChange(
      title: "'set keep' limits the size of values and texts too",
      meaning: """
        Finished operations keep at most 64MB of values and error texts by default; the oldest \
        values go first, and 'result' then fails with 'value-dropped'. 'set keep' prints both \
        limits.
        """,
      old: "set keep 100000",
      new: "set keep 100000 unlimited",
      check: "nothing"),
    ScriptChange(
      title: "A group and an operation in it cannot need the same exclusive name",
      meaning: """
        The operation would wait for ever, because the group has its names until all in it has \
        finished. It is an error where the operation is built.
        """,
      old: "group g --exclusive db { delay 1ms --exclusive db }",
      new: "group g --exclusive db { delay 1ms }",
      check: "nothing"),
    ScriptChange(
      title: "A wait in a body goes on while a statement may still end it",
      meaning: """
        It failed at once where only a statement of the script could end it: 'finish', 'start', \
        'queue resume'. It fails when no statement can follow: at the end of the script, and while \
        the script waits for operations, as 'wait' and 'expect … within' do. A loop that polls the \
        operation of the body goes on.
        """,
      old: "async a { }; block --name b { wait a }; sleep 1s; expect (b.outcome == failed)",
      new: "async a { }; block --name b { wait a }; wait b --any-outcome",
      check: "nothing"),
    ScriptChange(
      title: "'quit' and 'exit' in a body wait as they do elsewhere",
      meaning: """
        They cancelled everything, as with '--now', and their own operation failed or was cancelled by \
        chance. Now that one is cancelled, and the session waits until nothing can run any more. A \
        status that comes at the end of the script counts.
        """,
      old: "delay 10s; block { exit 3 }; wait",
      new: "delay 10s; block { exit 3 --now }; wait",
      check: "nothing"),
    ScriptChange(
      title: "The body of an 'async' operation that was started runs in any case",
      meaning: """
        A 'cancel' or a 'finish' right after the start could come before the body, which then never \
        ran; on the virtual clock it always did. 'finish' waits until the body has begun, and a \
        cancelled operation ends when its body has, as that of a 'block' does.
        """,
      old: "async a { echo begun }; finish a",
      new: "queue pause; async a { echo begun }; cancel a; queue resume",
      check: "nothing"),
    ScriptChange(
      title: "'expect … within' ends where no queue and no variable can change any more",
      meaning: """
        One that names no operation used all of its time although nothing could happen. It fails at \
        once now, except in a body, and while a page is served that may act.
        """,
      old: "queue pause; delay 1ms; expect (network.ready == 0) within 10s",
      new: "queue pause; delay 1ms; sleep 10s; expect (network.ready == 0)",
      check: "nothing"),
    ScriptChange(
      title: "'expect … within' is refused where a recording is shown",
      meaning: """
        It moved the clock of the recording, and later answers were those of another time. Without \
        'within' it looks at the recording as before.
        """,
      old: "record a.opshrec; record off; replay a.opshrec; expect (1 == 1) within 1s",
      new: "record a.opshrec; record off; replay a.opshrec; expect (1 == 1)",
      check: "nothing"),
    ScriptChange(
      title: "An operation fails with the code of the error of its body",
      meaning: """
        It was 'script' for every error, and is that of 'fail' alone now. An error of an 'async' \
        body that comes after its 'finish' is reported, and the end of a script waits for such \
        bodies.
        """,
      old: "block --name a { let d = 0; echo (1 / $d) }\ntry { wait a } catch e { echo $e.code }",
      new: "block --name a { fail \"no\" }\ntry { wait a } catch e { echo $e.code }",
      check: "nothing"),
    ScriptChange(
      title: "'-' is not a file for the response of a request",
      meaning: """
        'download' and '--output' wrote a file of that name, where other programs write to standard \
        output.
        """,
      old: "download /2.3/sites -",
      new: "download /2.3/sites ./-",
      check: "error: a response is written to a file, and '-' is not the name of one"),
    ScriptChange(
      title: "'last' alone is not a value",
      meaning: """
        'let o = (last)' and 'return last' gave the text 'last', which later stood for another \
        operation.
        """,
      old: "delay 1ms; let o = (last); wait $o",
      new: "delay 1ms; let o = (last.name); wait $o",
      check: "error: 'last' cannot be used as a value"),
    ScriptChange(
      title: "A small number is written without an exponent",
      meaning: """
        A number of at least 0.000000001, such as a wait in seconds, is written in digits. It had an \
        exponent below 0.0001.
        """,
      old: "echo (1 / 50000.0) | grep e-05",
      new: "echo (1 / 50000.0) | grep 0.00002",
      check: "nothing"),
    ScriptChange(
      title: "A server to which no route leads is not called one that refuses",
      meaning: """
        The error of such a request has the code 'host-unreachable'; it had that of a server that \
        accepts no connections, 'connection-refused'.
        """,
      old: "get http://224.0.0.1/\nwait --any-outcome\n"
        + "expect (last.error.code == connection-refused)",
      new: "get http://224.0.0.1/\nwait --any-outcome\n"
        + "expect (last.error.code == host-unreachable)",
      check: "nothing"),
    ScriptChange(
      title: "Options of a request that do not go together are found without running",
      meaning: """
        '--key-file' without '--cert', '--retry-on' without '--retry', '--cached' with '--output', \
        and the like stopped a script where it ran them, with status 1. Nothing of it runs now, and \
        the status is 2.
        """,
      old: "get / --retry-on 404",
      new: "get / --retry 2 --retry-on 404",
      check: "error: '--retry-on' means nothing without '--retry'"),
    ScriptChange(
      title: "Data has the same bytes in every locale",
      meaning: """
        Where the locale is not UTF-8, as in cron, a file or a program that read standard output \
        got '\\u{e9}' for a letter of 'echo' or 'result', and 'ok' for a check mark. It gets UTF-8 \
        now; only a terminal does not. 'help output' says more.
        """,
      old: "echo done ✓", new: "echo done ok", check: "nothing"),
    ScriptChange(
      title: "'ops --columns' does not go with its own '--json'",
      meaning: "The columns were ignored: the keys of an object are fixed.",
      old: "ops --columns name,state --json",
      new: "ops --json",
      check: "error: '--columns' is for the table: an object of '--json' has all keys"),
    ScriptChange(
      title: "What a command has appended before its error stays in the file",
      meaning: """
        '>>' after a program took it out again, which '>>' alone never did. '>' replaces a file \
        only when the command has succeeded, or has ended the run with 'exit 0' or 'quit'.
        """,
      old: "def f { echo a; fail \"no\" }\ntry { f | sort >> log } catch e { }",
      new: "def f { echo a; fail \"no\" }\ntry { f | sort > part; !cat part >> log } catch e { }",
      check: "nothing"),
    ScriptChange(
      title: "More mistakes are found without running",
      meaning: """
        'help' of a name without a page, an exclusive name that both a group and an operation in it \
        need, and a queue that 'queue remove' has removed stopped a script where it ran them, with \
        status 1. Nothing of it runs now, and the status is 2.
        """,
      old: "queue new q; queue remove q; delay 1ms --queue q",
      new: "queue new q; delay 1ms --queue q; queue drain q; queue remove q",
      check: "error: there is no queue 'q' any more"),
    ScriptChange(
      title: "The text of a handler is not that of the statement that waits",
      meaning: """
        It went to the file or program of that statement, as in 'wait > file', if the event came \
        while it ran. It goes where the text of the session goes.
        """,
      old: "delay 1ms --name a; on a finished { echo done }; wait > log",
      new: "delay 1ms --name a; on a finished { echo done >> log }; wait",
      check: "nothing"),
    ScriptChange(
      title: "A list of commas alone is an error",
      meaning: "'--after ,' was no dependency, and '--columns ,' no column.",
      old: "delay 1ms --after ,",
      new: "delay 1ms",
      check: "nothing"),
  ]
}
