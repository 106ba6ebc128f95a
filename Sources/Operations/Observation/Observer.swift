/// A change as the engine tells it to an observer.
struct Change {
  let isPrior: Bool
  let isInitial: Bool
  let old: PropertyValue?
  let new: PropertyValue?
}

/// One observer.
final class Observer: @unchecked Sendable {
  // @unchecked because `isActive` and `held` are read and written only in transactions.
  typealias Delivery = @Sendable (AnyObject, Change) -> Void

  let id: Int
  let key: ObservedKey
  let options: ObservationOptions
  var isActive = true
  /// Changes that came before the initial call was made; nil once it was.
  var held: [Change]? = []
  private let deliver: Delivery

  init(id: Int, key: ObservedKey, options: ObservationOptions, deliver: @escaping Delivery) {
    self.id = id
    self.key = key
    self.options = options
    self.deliver = deliver
  }

  /// Calls the handler with the values that this observer asked for.
  func call(_ change: Change, about subject: AnyObject) {
    deliver(
      subject,
      Change(
        isPrior: change.isPrior, isInitial: change.isInitial,
        old: options.contains(.old) && !change.isInitial ? change.old : nil,
        new: options.contains(.new) && !change.isPrior ? change.new : nil))
  }

  /// Makes the delivery to a handler that wants values of one type.
  static func typed<Subject: AnyObject & Sendable, Value: Sendable>(
    _ handler: @escaping @Sendable (Subject, ObservedChange<Value>) -> Void
  ) -> Delivery {
    { subject, change in
      guard let subject = subject as? Subject else { return }
      handler(
        subject,
        ObservedChange(
          isPrior: change.isPrior, isInitial: change.isInitial,
          oldValue: change.old.flatMap { $0.cast(to: Value.self) },
          newValue: change.new.flatMap { $0.cast(to: Value.self) }))
    }
  }

  /// Makes the delivery to a handler that takes values of any type.
  static func erased<Subject: AnyObject & Sendable>(
    _ handler: @escaping @Sendable (Subject, ObservedChange<ObservedValue>) -> Void
  ) -> Delivery {
    { subject, change in
      guard let subject = subject as? Subject else { return }
      handler(
        subject,
        ObservedChange(
          isPrior: change.isPrior, isInitial: change.isInitial,
          oldValue: change.old?.observed, newValue: change.new?.observed))
    }
  }
}
