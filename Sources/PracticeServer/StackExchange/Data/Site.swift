import OpshJSON

/// A site of the network.
struct Site: Sendable, Equatable {
  let name: String
  let parameter: String
  let host: String
  let audience: String
  let launchDate: Int

  var address: String { "https://\(host)" }

  init(_ text: JSONValue) {
    (name, parameter) = (text.text("name"), text.text("parameter"))
    (host, audience) = (text.text("host"), text.text("audience"))
    launchDate = text["launchDate"]?.exactInteger() ?? 0
  }

  /// Finds the site that a parameter names, by its short name or its host.
  static func named(_ name: String) -> Site? {
    let name = name.lowercased()
    return all.first { $0.parameter == name || $0.host == name }
  }

  static let all = PracticeTexts.stackExchange.list("sites").map { Site($0) }

  /// The site as it is sent.
  var json: JSONValue {
    let images = "https://cdn.sstatic.net/Sites/\(parameter)/img"
    return JSONValue([
      "styling": JSONValue([
        "tag_background_color": "#E0EAF1", "tag_foreground_color": "#3E6D8E",
        "link_color": "#0077CC",
      ]),
      "related_sites": [
        JSONValue([
          "relation": "chat", "site_url": "https://chat.\(host)", "name": "\(name) Chat",
        ])
      ],
      "markdown_extensions": ["Prettify"],
      "launch_date": launchDate,
      "open_beta_date": launchDate - 45 * 86_400,
      "closed_beta_date": launchDate - 52 * 86_400,
      "site_state": "normal",
      "high_resolution_icon_url": "\(images)/apple-touch-icon@2.png",
      "favicon_url": "\(images)/favicon.ico",
      "icon_url": "\(images)/apple-touch-icon.png",
      "audience": audience,
      "site_url": address,
      "api_site_parameter": parameter,
      "logo_url": "\(images)/logo.png",
      "name": name,
      "site_type": parameter == "meta" ? "meta_site" : "main_site",
    ])
  }
}
