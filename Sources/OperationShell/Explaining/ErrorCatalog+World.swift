import ShellLanguage

extension ErrorCatalog {
  /// The practice server, the service that is asked, and their faults.
  static let world: [ErrorPage] = [
    ErrorPage(
      "service-gone", "The service no longer exists",
      "Of the three services only one can still be asked; the practice server has them all.",
      help: "'endpoint practice' asks the practice server",
      wrong: "endpoint live\nfetch tweets swift", right: "endpoint practice\nfetch tweets swift",
      proof: .running),
    ErrorPage(
      "bad-command-line", "An option of opsh itself, or its value, makes no sense",
      "Nothing runs. Options stand before the file; what stands behind it belongs to the script.",
      help: "'opsh --help' lists the options", wrong: "(opsh --tiemout 3)",
      right: "echo $#", proof: .none),
    ErrorPage(
      "missing-service", "A key belongs to a service, and none is named",
      "Keys are sent to the service that gave them, and to no other.",
      help: "'endpoint live --key …' keeps a key", wrong: "endpoint --key abc",
      right: "endpoint practice", proof: .none),
    ErrorPage(
      "incomplete-credentials", "A service is given half of what it wants to know",
      "A Parse service wants the application's id and a key, both or neither.",
      help: "give both '--application-id' and '--key'",
      wrong: "endpoint quotes http://127.0.0.1:8080 --key abc", right: "endpoint practice",
      proof: .running),
    ErrorPage(
      "app-terminated", "The app has been terminated",
      "Nothing runs any more until it is launched again.",
      help: "'app foreground' launches it again", wrong: "app terminate\ndelay 1ms",
      right: "app terminate\napp foreground\ndelay 1ms", proof: .none),
    ErrorPage(
      "clock-in-use", "The clock can't be changed while something goes by it",
      "Unfinished operations, and a practice server that listens, go by the clock there was.",
      help: "'set clock virtual' belongs at the beginning of a script",
      wrong: "delay 10s\nset clock virtual", right: "set clock virtual\ndelay 10s",
      proof: .running),
    ErrorPage(
      "clock-ahead", "The virtual clock is ahead of the system's",
      "What happened at its times can't be followed by what happens earlier.",
      help: "another opsh begins with the system's clock",
      wrong: "set clock virtual\nsleep 10m\nset clock real", right: "set clock virtual\nsleep 10m",
      proof: .running),
    ErrorPage(
      "clock-ends", "The virtual clock does not go that far",
      "It goes on for 290 years. What is to happen later than that never does.",
      help: "choose shorter times", wrong: "set clock virtual\nsleep 2562047h",
      right: "set clock virtual\nsleep 24h", proof: .running),
    ErrorPage(
      "not-virtual", "The virtual clock can't rule what has a time of its own",
      "Programs, servers elsewhere and bodies of '--blocking' take the time they take.",
      help: "without 'set clock virtual' it can be done", wrong: "set clock virtual\nrun ls",
      right: "run ls"),
    ErrorPage(
      "not-running", "The practice server does not run", "'server start' starts it.",
      help: "'server start' starts it", wrong: "(a command for a server that does not run)",
      right: "server start", proof: .none),
    ErrorPage(
      "address-in-use", "Another program uses that port",
      "'server start' without a port takes any that is free.",
      help: "'server start' takes any that is free",
      wrong: "(server start 8080, where a program has that port)",
      right: "server start", proof: .none),
    ErrorPage(
      "permission-denied", "The port may not be used without more rights",
      "Ports below 1024 belong to the system.", help: "'server start' takes any that is free",
      wrong: "(server start 80, for a user without more rights)", right: "server start",
      proof: .none),
    ErrorPage(
      "socket-failed", "The system refused a socket", "The message says what it said.",
      help: "close other programs, and try again", wrong: "(a system without sockets)",
      right: "server start", proof: .none),
    ErrorPage(
      "library-missing", "There is no library for the practice server",
      "libmicrohttpd is opened when the server is first needed.",
      help: "install the package libmicrohttpd12", wrong: "(a system without libmicrohttpd)",
      right: "server start", proof: .none),
    ErrorPage(
      "library-unusable", "The library for the practice server is too old",
      "A function that the server needs is not in it.", help: "install the package libmicrohttpd12",
      wrong: "(a system with an old libmicrohttpd)", right: "server start", proof: .none),
    ErrorPage(
      "unknown-fault", "The practice server has no such fault",
      "'server faults' lists those there are.", help: "'server faults' lists them",
      wrong: "(a fault that does not exist)", right: "server faults", proof: .none),
    ErrorPage(
      "bad-fault", "The fault does not take such a value",
      "Some faults take a duration, some a share of the requests; 'server faults' says which.",
      help: "'server faults' says what each takes", wrong: "(a fault with a wrong value)",
      right: "server faults", proof: .none),
    ErrorPage(
      "bad-route", "This is no route",
      "A route is a path such as /2.3/questions, with * for anything.",
      help: "for example '/2.3/*'", wrong: "server fault stall 50% --route questions",
      right: "server fault stall 50% --route '/2.3/*'", proof: .none),
    ErrorPage(
      "not-set", "No such fault is set", "'server faults' shows what is set.",
      help: "'server faults' shows what is set", wrong: "server fault off stall-body",
      right: "server fault off", proof: .none),
    ErrorPage(
      "bad-jitter", "The jitter is larger than the latency",
      "No answer can come before its question.", help: "choose a smaller jitter, or more latency",
      wrong: "server latency 10ms --jitter 20ms", right: "server latency 20ms --jitter 10ms",
      proof: .running),
    ErrorPage(
      "not-following", "An option is for '--follow' only",
      "'--for' says how long '--follow' goes on.", help: "add '--follow'",
      wrong: "server log --for 1s", right: "server log --follow --for 10ms", proof: .running),
  ]

  /// What is kept between sessions.
  static let stores: [ErrorPage] = [
    ErrorPage(
      "store-unavailable", "The store cannot be opened",
      "libsqlite3 is missing, or the folder cannot be used.",
      help: "'--data DIR' keeps everything elsewhere", wrong: "(a folder that cannot be written)",
      right: "tags list", proof: .none),
    ErrorPage(
      "store-newer", "The store was written by a later opsh",
      "This one does not know what is in it, and leaves it alone.",
      help: "use the later opsh, or '--data DIR'", wrong: "(a store of a later version)",
      right: "tags list", proof: .none),
    ErrorPage(
      "store-damaged", "The store is damaged",
      "It is left as it is, so that it can be looked at.",
      help: "move the file away; a new one is made", wrong: "(a damaged file)", right: "tags list",
      proof: .none),
    ErrorPage(
      "store-foreign", "The file is no store of opsh", "Another program wrote it.",
      help: "'--data DIR' keeps everything elsewhere", wrong: "(a file of another program)",
      right: "tags list", proof: .none),
    ErrorPage(
      "store-unwritable", "The store can only be read", "Its file or folder is write-protected.",
      help: "'--data DIR' keeps everything elsewhere", wrong: "(a write-protected folder)",
      right: "tags list", proof: .none),
    ErrorPage(
      "store-full", "The disk is full", "What was to be kept is not.", help: "make room",
      wrong: "(a full disk)", right: "tags list", proof: .none),
    ErrorPage(
      "store-busy", "Another process uses the store", "It did not let go of it in time.",
      help: "try once more", wrong: "(another opsh in the middle of a long write)",
      right: "tags list", proof: .none),
    ErrorPage(
      "store-failed", "The store failed", "The message is that of the database.",
      help: "try once more", wrong: "(an error of the disk)", right: "tags list", proof: .none),
    ErrorPage(
      "tag-invalid", "This cannot be a tag",
      "A tag is a text of one line with at least one visible character.",
      help: "choose another text", wrong: "tags add '  '", right: "tags add swift"),
    ErrorPage(
      "tag-exists", "There is such a tag already", "Each tag is kept once.",
      help: "'tags list' lists them",
      wrong: "tags add swift\ntags add objc\ntags rename objc swift",
      right: "tags add objc\ntags rename objc swift", proof: .running),
    ErrorPage(
      "tag-unknown", "There is no such tag", "'tags list' lists them.",
      help: "'tags list' lists them", wrong: "tags remove nothing",
      right: "tags add swift\ntags remove swift", proof: .running),
    ErrorPage(
      "no-tags", "No tags are kept, so there is nothing to search for",
      "'fetch tweets' without words searches for the tags.", help: "'tags add swift' keeps one",
      wrong: "fetch tweets", right: "tags add swift\nfetch tweets", proof: .running),
    ErrorPage(
      "bad-arguments", "The arguments do not go together", "'--all' removes all tags.",
      help: "name tags, or give '--all'", wrong: "tags remove swift --all",
      right: "tags remove --all", proof: .running),
    ErrorPage(
      "quote-unknown", "There is no such quote", "'quotes list' lists those that are kept.",
      help: "'quotes sync' downloads them", wrong: "quotes read zzz",
      right: "quotes sync\nwait\nquotes list", proof: .running),
    ErrorPage(
      "quote-ambiguous", "Several quotes have an id that begins so",
      "As many letters are needed as tell them apart.", help: "write more of the id",
      wrong: "(the beginning of several ids)", right: "quotes list", proof: .none),
    ErrorPage(
      "cache-unknown", "There is no such response in the cache", "'cache list' lists them.",
      help: "'cache list' lists them", wrong: "cache show 99999", right: "cache list",
      proof: .running),
  ]

  /// Files, and programs of the system.
  static let files: [ErrorPage] = [
    ErrorPage(
      "file", "A file cannot be read or written",
      "The number of the system's error stands in parentheses: file(2) is a file or a program that "
        + "does not exist, file(13) one that may not be touched. The path of 'source' is relative "
        + "to the script.",
      help: "check the path; a program has to be installed",
      wrong: "echo hello > nowhere/greeting.txt", right: "echo hello > greeting.txt",
      proof: .running),
    ErrorPage(
      "file-exists", "The file is there already", "Nothing is overwritten without being asked for.",
      help: "'--replace' writes over it", wrong: "echo a > a.opsh\nsave a.opsh",
      right: "echo a > a.txt", proof: .none),
    ErrorPage(
      "nothing-typed", "Nothing was typed yet that a script could hold",
      "'save' writes what was typed at the prompt.", help: "type something first",
      wrong: "save a.opsh", right: "echo a > a.txt", proof: .running),
    ErrorPage(
      "bad-program", "The name of the program is empty", "'run' and '!' need a name.",
      help: "name a program", wrong: "run ''", right: "run true\nwait", proof: .running),
    ErrorPage(
      "bad-argument", "An argument of a program holds a zero byte",
      "Programs cannot be given one.", help: "leave it out", wrong: "(a text with a zero byte)",
      right: "run echo hello\nwait", proof: .none),
    ErrorPage(
      "exit-status", "A program ended with a status other than 0",
      "It stands in parentheses: exit-status(3).", help: "the program's own output says why",
      wrong: "run false\nwait --any-outcome\nops | false", right: "run true\nwait", proof: .running),
    ErrorPage(
      "signal", "A signal ended the program", "Its number stands in parentheses: signal(9).",
      help: "'cancel' ends a program by a signal, too", wrong: "(a program that crashed)",
      right: "run true\nwait", proof: .none),
  ]

  /// The run as a whole.
  static let run: [ErrorPage] = [
    ErrorPage(
      "unknown-alias", "There is no alias of that name", "'alias' lists those there are.",
      help: "'alias NAME = COMMAND…' makes one", wrong: "unalias few",
      right: "alias few = delay 1ms\nunalias few", proof: .running),
    ErrorPage(
      "bad-transcript", "The file is no transcript",
      "A transcript has lines that begin with 'opsh> ', and behind a statement that goes on over "
        + "several lines '... ' before each further one.",
      help: "'opsh --transcript FILE' writes one", wrong: "(a file without a prompt)",
      right: "echo hello", proof: .none),
    ErrorPage(
      "failed", "The run ended with an error of the system", "The message says which.",
      help: "try once more", wrong: "(an error of the system)", right: "echo hello", proof: .none),
  ]
}
