import Foundation
import Support

/// The texts that the page is made of, from the files in `Page`.
package enum PageText {
  /// The document, with `{{name}}` where a text belongs.
  package static let markup = text(PackageResources.page_html)

  /// The style sheet.
  package static let style = [
    PackageResources.colors_css, PackageResources.page_css, PackageResources.sizes_css,
  ].map(text).joined()

  /// The script; its parts share one scope, which nothing outside sees.
  package static let script =
    "(() => {\n\"use strict\";\n"
    + [
      PackageResources.text_js, PackageResources.history_js, PackageResources.scale_js,
      PackageResources.conditions_js, PackageResources.records_js, PackageResources.model_js,
      PackageResources.trim_js, PackageResources.phases_js, PackageResources.waits_js,
      PackageResources.why_js, PackageResources.words_js, PackageResources.lanes_js,
      PackageResources.timeline_js, PackageResources.graph_js, PackageResources.requests_js,
      PackageResources.inspector_js, PackageResources.player_js, PackageResources.live_js,
      PackageResources.main_js,
      PackageResources.keys_js,
    ].map(text).joined() + "})();\n"

  /// What a content security policy allows as a style: exactly this one.
  package static let styleSource = source(of: style)

  /// What a content security policy allows as a script: exactly this one.
  package static let scriptSource = source(of: script)

  private static func source(of text: String) -> String {
    "'sha256-\(Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString())'"
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
