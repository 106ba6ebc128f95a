extension Concept {
  /// Key-value observation.
  static let observation: [Concept] = [
    Concept(
      name: "kvo", aliases: ["key-value-observation", "observation"],
      searchTerms: [
        "key value observing", "notification", "willChangeValue", "didChangeValue", "observe",
        "observer", "send",
      ],
      summary: "key-value observation: how a queue learns that something changed",
      text: """
        Objects announce changes of a property to its observers. A queue observes its operations: \
        isReady lets it start one, isFinished lets it go on. An asynchronous operation must \
        send KVO for isExecuting and isFinished, around each change, with no lock held.
        """,
      picture: """
        willChangeValue(forKey:) → notification with 'prior'
        flag = true
        didChangeValue(forKey:)  → notification with 'old' and 'new' → the queue acts
        """,
      experiment: """
        observe nap isExecuting isFinished; delay 5ms --name nap; wait
        """,
      shows: "nap.isFinished  false → true",
      swift:
        "willChangeValue(forKey: \"isFinished\"); flag = true; didChangeValue(forKey: \"isFinished\")",
      foundation: .differs(
        """
        On Linux only Foundation's own queue receives it, and client code cannot observe; opsh \
        tells every observer. Setting a flag to the value that it has announces nothing.
        """),
      related: ["prior", "key-paths", "isFinished", "zoo"]),
    Concept(
      name: "prior", aliases: ["initial", "old", "new", "observing-options"],
      searchTerms: ["NSKeyValueObservingOptions", "observation options", "notification"],
      summary: "what a notification carries: initial, prior, old, new",
      text: """
        'initial' notifies at once, with the present value. 'prior' notifies before the change \
        as well as after it. 'old' and 'new' put the values before and after the change into \
        the notification. Without 'initial' and 'prior' there is one, after the change.
        """,
      picture: """
        observe    willChange        didChange
        initial    prior (old)       old → new
        """,
      experiment: """
        queue pause; delay 1ms --name nap
        observe nap queuePriority --options initial,prior,old,new; priority nap high
        queue resume; wait
        """,
      shows: "nap.queuePriority  normal → (prior)",
      swift: "operation.observe(\\.queuePriority, options: [.prior, .old, .new]) { print($1) }",
      foundation: .same("On Linux opsh alone delivers them: Foundation there has no observers."),
      related: ["kvo", "key-paths"]),
    Concept(
      name: "key-paths", aliases: ["key-path", "keypath", "keypaths"],
      searchTerms: ["key path", "observable properties", "forKey", "dependencies"],
      summary: "the properties that can be observed",
      text: """
        Of an operation, in Apple's list: isReady isExecuting isFinished isCancelled \
        isAsynchronous dependencies queuePriority completionBlock; further: name \
        qualityOfService progress. Of a queue: operations operationCount isSuspended \
        maxConcurrentOperationCount name.
        """,
      picture: """
        observe NAME  KEYPATH … → a.isFinished  false → true
        observe queue NAME KEYPATH … → network.operationCount  0 → 1
        """,
      experiment: """
        observe b dependencies; delay 1ms --name a --hold; delay 1ms --name b --hold
        deps b on a; start a b; wait
        """,
      shows: "b.dependencies  [] → [a]",
      swift: "didChangeValue(for: \\.isFinished)  // or forKey: \"isFinished\"",
      foundation: .same(
        "In Swift \"isFinished\", \"finished\" and \\.isFinished work; 'observe' takes isFinished."
      ),
      related: ["kvo", "prior"]),
  ]
}
