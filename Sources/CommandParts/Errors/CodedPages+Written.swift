import OpshTexts
package import ShellLanguage
import ShellSession

extension CodedPages {
  /// The form of `--auth`.
  package static let authenticationHelp =
    "write: --auth basic:USER:env:NAME, --auth digest:USER:file:PATH, or --auth bearer:env:NAME"

  /// Operations and queues that the engine refuses to change.
  package static let engine = pages(in: "engine")

  /// The errors that the engine lets operations fail with.
  package static let engineOutcomes =
    pages(in: "outcomes") + [.foundationEnded, .groupFailed, .uncoded]

  /// The codes of `NetworkError`.
  package static let networking = pages(in: "network")

  /// The code `tls`, and a page for each cause, named by `TLSFailure.topic`.
  package static let tls = pages(in: "tls")

  /// The codes of `StoreError`.
  package static let stores = pages(in: "stores")

  /// The codes of `PracticeServerError`, and those of what `serve` starts.
  package static let practiceServer = pages(in: "server")

  /// The pages that have a name in the program, by topic.
  static let written: [String: ErrorPage] = Dictionary(
    (engine + pages(in: "shared")).map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })

  /// The pages of a file in `COpshTexts/Errors`, in its order.
  private static func pages(in file: String) -> [ErrorPage] {
    TextRecord.read(
      "Errors/" + file, fields: ["code", "summary", "meaning", "help", "wrong", "right", "proof"],
      values: ["authentication": authenticationHelp]
    ).map { record in
      ErrorPage(
        record.has("code") ? record.prose("code") : record.name, topic: record.name,
        record.prose("summary"), record.prose("meaning"),
        help: record.has("help") ? record.prose("help") : nil,
        wrong: record.literal("wrong"), right: record.literal("right"),
        proof: record.has("proof") ? ErrorPage.Proof(rawValue: record.prose("proof")) : nil)
    }
  }
}
