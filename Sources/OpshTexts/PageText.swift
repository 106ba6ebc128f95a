import COpshTexts
import Foundation
import OpshSupport

/// The texts that the page is made of, from the files in `COpshTexts/Page`.
package enum PageText {
  /// The document, with `{{name}}` where a text belongs.
  package static let markup = String(opsh_page_markup())

  /// The style sheet.
  package static let style = String(opsh_page_style())

  /// The script; its parts share one scope, which nothing outside sees.
  package static let script = "(() => {\n\"use strict\";\n" + String(opsh_page_script()) + "})();\n"

  /// What a content security policy allows as a style: exactly this one.
  package static let styleSource = source(of: style)

  /// What a content security policy allows as a script: exactly this one.
  package static let scriptSource = source(of: script)

  private static func source(of text: String) -> String {
    "'sha256-\(Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString())'"
  }
}
