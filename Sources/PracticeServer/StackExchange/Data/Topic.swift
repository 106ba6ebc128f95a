/// What the questions of one subject are made of.
struct Topic: Sendable {
  let language: String
  let tag: String
  /// Tags that go with the subject.
  let related: [String]
  /// Names in code that a title may mention.
  let code: [String]
  /// Types, some of them generic.
  let types: [String]
  /// A task, as a verb phrase.
  let actions: [String]
  /// Error messages of the topic.
  let errors: [String]
}

extension Topic {
  /// All subjects, the most frequent ones first.
  static let all: [Topic] = [
    Topic(
      language: "JavaScript", tag: "javascript",
      related: ["html", "css", "jquery", "reactjs", "node.js", "arrays", "json", "typescript"],
      code: ["Promise.all()", "addEventListener", "useEffect", "this", "JSON.parse()", "=>"],
      types: ["Map<string, number>", "Promise<void>", "NodeList", "<div>", "WeakMap"],
      actions: [
        "debounce a scroll handler", "remove duplicates from an array", "cancel a fetch request",
        "read a file line by line", "await inside a loop", "deep copy a nested object",
      ],
      errors: [
        "Cannot read properties of undefined (reading 'map')", "x is not a function",
        "Unexpected token < in JSON at position 0", "await is only valid in async functions",
      ]),
    Topic(
      language: "Python", tag: "python",
      related: ["pandas", "numpy", "django", "regex", "json", "unit-testing", "performance"],
      code: ["asyncio.gather()", "__init__", "yield", "*args & **kwargs", "DataFrame.merge()"],
      types: ["dict[str, list[int]]", "Iterator[bytes]", "NoneType", "defaultdict", "Path"],
      actions: [
        "flatten a list of lists", "group rows by month", "limit a pool of workers",
        "parse a date with a time zone", "mock an HTTP call", "merge two dictionaries",
      ],
      errors: [
        "'NoneType' object is not subscriptable", "list index out of range",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9", "No module named 'requests'",
      ]),
    Topic(
      language: "Swift", tag: "swift",
      related: [
        "ios", "xcode", "swiftui", "uikit", "foundation", "nsoperation", "nsoperationqueue",
        "grand-central-dispatch", "concurrency", "generics", "async-await",
      ],
      code: [
        "addDependency(_:)", "maxConcurrentOperationCount", "isFinished", "@escaping",
        "withCheckedContinuation", "URLSession.shared", "weak self", "&&", "some View",
      ],
      types: [
        "Result<Value, Error>", "Array<Element>", "KeyPath<Root, Value>", "OperationQueue",
        "AsyncStream<Int>", "BlockOperation", "Optional<String>", "any Collection<UInt8>",
      ],
      actions: [
        "cancel an operation that is already executing", "observe isFinished on an operation",
        "pass data between two dependent operations", "decode JSON with unknown keys",
        "run operations one after the other", "suspend a queue without losing its operations",
        "wait for several downloads", "write a test for a race",
      ],
      errors: [
        "Type 'any P' cannot conform to 'P'", "Value of optional type 'Int?' must be unwrapped",
        "went isFinished=YES without being started by the queue it is in",
        "Sending 'self' risks causing data races",
      ]),
    Topic(
      language: "Java", tag: "java",
      related: ["android", "spring", "multithreading", "kotlin", "generics", "json", "arrays"],
      code: ["equals() & hashCode()", "CompletableFuture", "synchronized", "Optional.orElse()"],
      types: ["List<? extends T>", "Map<String, List<Integer>>", "Stream<T>", "char[]"],
      actions: [
        "sort a map by its values", "shut an executor down", "read a resource from a jar",
        "iterate over a map while removing", "compare two strings",
      ],
      errors: [
        "java.lang.NullPointerException", "Could not find or load main class",
        "ConcurrentModificationException", "incompatible types: Object can't be converted to T",
      ]),
    Topic(
      language: "C#", tag: "c#",
      related: ["asp.net", "linq", "async-await", "json", "unit-testing", "generics"],
      code: ["ConfigureAwait(false)", "IDisposable", "??=", "async void", "IEnumerable.Any()"],
      types: ["Task<T>", "IEnumerable<string>", "Dictionary<int, Foo>", "Span<byte>"],
      actions: [
        "cancel a long-running task", "map a nested object", "await several tasks",
        "inject a scoped service", "serialise an enum as text",
      ],
      errors: [
        "Object reference not set to an instance of an object",
        "A second operation was started on this context", "Cannot implicitly convert 'int?'",
      ]),
    Topic(
      language: "C++", tag: "c++",
      related: ["c", "templates", "performance", "multithreading", "arrays", "linux"],
      code: ["std::move", "operator<<", "constexpr", "-->", "std::unique_lock", "&&"],
      types: ["std::vector<bool>", "std::map<K, V>", "template <typename T>", "char const*"],
      actions: [
        "return a unique_ptr from a factory", "erase while iterating", "time a short function",
        "wake a waiting thread", "link a static library",
      ],
      errors: [
        "undefined reference to `vtable for Foo'", "Segmentation fault (core dumped)",
        "no matching function for call to 'begin'", "expected ';' before '}' token",
      ]),
    Topic(
      language: "Linux", tag: "linux",
      related: ["bash", "shell", "ubuntu", "ssl", "nginx", "docker", "curl", "vim", "regex"],
      code: ["find -exec", "2>&1", "$@", "awk '{print $1}'", "set -euo pipefail", "<(...)"],
      types: ["stdin", "a symbolic link", "/proc/self/fd", "an unnamed pipe", "a here-document"],
      actions: [
        "kill every child of a process", "find out which process holds a port",
        "rename many files at once", "keep a job running after logout", "follow several logs",
      ],
      errors: [
        "Address already in use", "Permission denied (publickey)", "Too many open files",
        "bad interpreter: No such file or directory", "syntax error near unexpected token `('",
      ]),
    Topic(
      language: "SQL", tag: "sql",
      related: ["mysql", "postgresql", "sqlite", "performance", "database"],
      code: ["GROUP BY", "LEFT JOIN", "ON CONFLICT", "!= vs <>", "ROW_NUMBER()", "EXPLAIN"],
      types: ["a composite index", "a NULL column", "jsonb", "a recursive CTE"],
      actions: [
        "select the newest row of each group", "update from another table",
        "pivot rows into columns", "page through a large result", "count distinct values",
      ],
      errors: [
        "database is locked", "column \"id\" is ambiguous",
        "Unknown column 'a.b' in 'where clause'", "deadlock detected",
      ]),
    Topic(
      language: "Rust", tag: "rust",
      related: ["concurrency", "async-await", "generics", "performance", "unit-testing"],
      code: ["Arc<Mutex<T>>", "'static", "?", "impl Trait", "&mut self", "unwrap()"],
      types: ["Option<Box<T>>", "Result<(), Error>", "HashMap<&str, u32>", "&'a str"],
      actions: [
        "return an iterator from a trait", "share state between threads",
        "split a slice in two", "test a private function",
      ],
      errors: [
        "cannot borrow `x` as mutable more than once", "does not live long enough",
        "the trait bound `T: 'static` isn't satisfied",
      ]),
    Topic(
      language: "Go", tag: "go",
      related: ["concurrency", "json", "http", "docker", "unit-testing", "generics"],
      code: ["context.WithCancel", "select {}", "<-done", "defer", "sync.WaitGroup"],
      types: ["chan<- int", "map[string]interface{}", "[]byte", "io.Reader"],
      actions: [
        "stop a goroutine", "limit the number of goroutines", "decode nested JSON",
        "close a channel safely", "retry an HTTP request",
      ],
      errors: [
        "all goroutines are asleep - deadlock!", "assignment to entry in nil map",
        "declared and not used",
      ]),
    Topic(
      language: "Git", tag: "git",
      related: ["github", "bash", "version-control"],
      code: ["git rebase -i", "HEAD~1", "git stash pop", "--force-with-lease", ".gitignore"],
      types: ["a detached HEAD", "a merge commit", "a submodule", "a shallow clone"],
      actions: [
        "undo the last commit", "move a branch to another base", "find the commit of a bug",
        "change the author of a commit",
      ],
      errors: [
        "fatal: refusing to merge unrelated histories", "error: failed to push some refs",
        "You're in the middle of a merge",
      ]),
  ]

  /// All tags that occur, each once, in the order of first mention.
  ///
  /// There are at most 64 of them, so that a question's tags fit into the bits of one number.
  static let tags: [String] = {
    var seen: Set<String> = []
    var tags: [String] = []
    for tag in all.flatMap({ [$0.tag] + $0.related }) where seen.insert(tag).inserted {
      tags.append(tag)
    }
    return Array(tags.prefix(64))
  }()

  /// The position of each tag in `tags`.
  static let tagPositions: [String: Int] = Dictionary(
    uniqueKeysWithValues: tags.enumerated().map { ($1, $0) })
}
