package import Operations
package import ShellLanguage
package import ShellSession

extension Invocation {
  /// Builds the operations that the options ask for, and puts them on their queue.
  ///
  /// Everything that can be wrong is looked at before the first one is built, so a refusal
  /// leaves nothing unfinished. Of many, the first execute while the others are being built, and
  /// stay if Ctrl-C, or the end of their group, comes meanwhile.
  ///
  /// - Parameters:
  ///   - kind: What they are, for `ops`, and for the names of those that are given none.
  ///   - isBarrier: Whether they are barriers of their queue.
  ///   - name: The name, of a command that has no option for it.
  ///   - parameter: What gives the name.
  ///   - make: Makes one operation of the given name.
  /// - Returns: The operation; with '--count' the list of them.
  /// - Throws: A diagnostic where the options can't be met, and what `make` throws.
  package func build(
    _ kind: OperationKind, isBarrier: Bool = false, named name: String? = nil,
    at parameter: some Parameter = BuildOptions.name,
    _ make: (_ name: String) throws -> ObservableOperation
  ) throws -> Value {
    objects(
      try buildEach(
        of: CollectionOfOne(()), kind, isBarrier: isBarrier, named: name, at: parameter
      ) { _, name in
        try make(name)
      })
  }

  /// Builds the operations that the options ask for, once for each item.
  package func buildEach<Item>(
    of items: some Collection<Item>, _ kind: OperationKind, isBarrier: Bool = false,
    named name: String? = nil, at parameter: some Parameter = BuildOptions.name,
    _ make: (_ item: Item, _ name: String) throws -> ObservableOperation
  ) throws -> [ObservableOperation] {
    assert(call.signature.shellCommand?.builds != nil, "the command does not say what it builds")
    let options = try BuildOptions(self, standardQueue: { try queue(for: kind) })
    let wanted = name ?? options.name
    let items = Array(items)
    let places = places(of: options.count * items.count)
    let names = try reserveNames(
      wanted, count: options.count * items.count, kind: kind.name, at: parameter)
    // In virtual time nothing happens meanwhile, so that each run has the same log.
    let partSize = run.mode.isRepeatable ? names.count : Self.partSize
    var built: [ObservableOperation] = []
    var added = 0
    func addPart() throws {
      let part = Array(built[added...])
      if options.isEssential { part.forEach(jobs.app.noteEssential) }
      for (place, operation) in zip(places.dropFirst(added), part) {
        register(operation, at: place, isNamed: wanted != nil)
      }
      try place(part, options, isBarrier: isBarrier)
      added = built.count
    }
    do {
      for (name, place) in zip(names, places) {
        let item = items[place % items.count]
        let operation = try make(item, name)
        try options.apply(to: operation)
        screen.noteCredentials(of: operation)
        built.append(operation)
        if built.count.isMultiple(of: 256) { try run.checkSignals() }
        if built.count - added == partSize { try addPart() }
      }
      try addPart()
    } catch {
      names.dropFirst(added).forEach(jobs.operations.releaseName)
      guard added > 0, error is Interruption else { throw error }
      throw Interruption("interrupted: \(added) of \(names.count) operations were built")
    }
    return built
  }

  /// How many operations are added at a time: few enough that the first start within milliseconds,
  /// and so many that adding them part by part costs nothing.
  private static let partSize = 1024

  /// Builds groups that consist of certain operations, which are registered and named too.
  ///
  /// - Parameters:
  ///   - kind: What the groups are.
  ///   - options: Where they go.
  ///   - make: Makes a group of the given name, and its operations, which are not yet in it.
  /// - Returns: The group, or the list of them where there are several.
  /// - Throws: A diagnostic where the options can't be met, and what `make` throws.
  package func buildGroups(
    _ kind: OperationKind, _ options: BuildOptions,
    _ make: (_ name: String) throws -> (GroupOperation, [ObservableOperation])
  ) throws -> Value {
    assert(call.signature.shellCommand?.builds != nil, "the command does not say what it builds")
    let places = places(of: options.count)
    let names = try reserveNames(options.name, count: options.count, kind: kind.name)
    var built: [(group: GroupOperation, parts: [ObservableOperation])] = []
    do {
      for name in names {
        let (group, parts) = try make(name)
        try options.apply(to: group)
        group.membersMayBeCancelled = call[BuildOptions.membersMayBeCancelled]
        built.append((group, parts))
      }
    } catch {
      names.forEach(jobs.operations.releaseName)
      throw error
    }
    for (place, (group, parts)) in zip(places, built) {
      // The group last, so that 'last' means what the command has built.
      for part in parts {
        part.name = try jobs.operations.reserveName(nil, kind: part.kind)
        part.qualityOfService = group.qualityOfService
        screen.noteCredentials(of: part)
        jobs.operations.add(part, origin: origin)
      }
      if options.isEssential { jobs.app.noteEssential(group) }
      register(
        group, at: place, isNamed: options.name != nil, underConstructionFor: options.queue)
      try group.addOperations(parts)
    }
    for (group, _) in built { jobs.operations.endConstruction(of: group) }
    do {
      try place(built.map(\.group), options)
    } catch {
      for (group, _) in built {
        run.abandon(group, by: "the refusal of group '\(group.displayName)'")
      }
      throw error
    }
    return objects(built.map(\.group))
  }

  package var origin: OperationRegistry.Origin { .init(source: call.source, range: call.range) }

  /// Registers a new operation, and how to build it anew.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - place: Its place among what this use of the command builds.
  ///   - isNamed: Whether its name was given.
  ///   - queue: For a group whose block has not run yet, its future queue.
  /// - Returns: The operation that it replaces, where it is built anew.
  @discardableResult
  package func register(
    _ operation: ObservableOperation, at place: Int, isNamed: Bool,
    underConstructionFor queue: InspectableQueue? = nil
  ) -> ObservableOperation? {
    let former = rebuilt?.original ?? formerMember(named: operation.displayName)
    if let former { jobs.operations.recipes.noteRetry(of: former, by: operation) }
    jobs.operations.recipes.note(operation, self, index: place, isNamed: isNamed)
    jobs.operations.add(operation, origin: origin, underConstructionFor: queue)
    return former
  }

  /// The operation of that name in the group whose block runs anew.
  private func formerMember(named name: String) -> ObservableOperation? {
    guard let group = info.formerGroup, let member = jobs.operations.operation(named: name),
      member.group === group
    else { return nil }
    return member
  }

  /// The operation, or the list of them where there are several or '--count' says how many.
  package func objects(_ built: [ObservableOperation]) -> Value {
    let objects = built.map { Value.object(OperationObject($0, clock: run.clock)) }
    let isList = call.mentions(BuildOptions.count) && rebuilt == nil
    return objects.count == 1 && !isList ? objects[0] : .list(objects)
  }

  /// Takes names for so many operations, all or none.
  ///
  /// - Throws: A diagnostic at the parameter that gives the name.
  package func reserveNames(
    _ wanted: String?, count: Int, kind: String, at parameter: some Parameter = BuildOptions.name
  ) throws -> [String] {
    var names: [String] = []
    do {
      guard wanted != nil || rebuilt != nil else {
        while names.count < count {
          let part = min(256, count - names.count)
          names += jobs.operations.reserveNames(kind: kind, count: part)
          try run.checkSignals()
        }
        return names
      }
      for place in places(of: count) {
        let number = place + 1
        let name =
          rebuilt != nil ? rebuilt?.name : wanted.map { count == 1 ? $0 : "\($0)-\(number)" }
        names.append(try jobs.operations.reserveName(name, kind: kind))
        if number.isMultiple(of: 256) { try run.checkSignals() }
      }
    } catch {
      names.forEach(jobs.operations.releaseName)
      guard let error = error as? UnplacedError else { throw error }
      throw call.failure(error, at: parameter)
    }
    return names
  }

  /// Puts registered operations on their queue, or holds them for it.
  package func place(
    _ built: [ObservableOperation], _ options: BuildOptions, isBarrier: Bool = false
  ) throws {
    jobs.app.hold(built, for: options.queue, in: jobs.groups(around: options.queue))
    if options.isHeld {
      for operation in built {
        jobs.operations.hold(operation, for: options.queue, isBarrier: isBarrier)
        operation.noteHeld(for: options.queue)
      }
      return
    }
    do {
      if isBarrier {
        try jobs.engine.withoutStarting {
          for operation in built { try options.queue.addBarrier(operation) }
        }
      } else {
        try options.queue.addOperations(built, waitUntilFinished: false)
      }
    } catch {
      // What is in a group has to end, and is shown with the group.
      jobs.operations.withdraw(built.filter { !($0 is GroupOperation) })
      throw error
    }
  }

  /// Refuses that a new operation of a group waits for what waits for the group.
  ///
  /// When the engine adds it to the group it checks cycles of dependencies only.
  package func refuseCycle(
    of queue: InspectableQueue, waitingFor others: [ObservableOperation],
    at parameter: some Parameter
  ) throws {
    guard !others.isEmpty else { return }
    let around = jobs.groups(around: queue)
    guard let innermost = around.first else { return }
    // What is in the same group has been looked at when it was built.
    for other in others where other.group !== innermost {
      for group in around {
        guard let path = other.waitPath(to: group) else { continue }
        throw call.failure(
          .dependencyCycle,
          "what is in group '\(group.displayName)' can't wait for '\(other.displayName)': "
            + Self.cycle(path), at: parameter)
      }
    }
  }

  private static func cycle(_ path: [ObservableOperation]) -> String {
    guard path.count > 1 else { return "the group waits for what is in it" }
    return "that waits for the group (\(path.map(\.displayName).joined(separator: " → ")))"
  }
}
