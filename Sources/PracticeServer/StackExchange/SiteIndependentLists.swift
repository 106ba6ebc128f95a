import OpshJSON
import OpshWebAPIs

extension StackExchangeMethod {
  static let siteIndependent = [
    StackExchangeMethod("sites") { (parameters, _) throws(APIError) in
      try SiteIndependentLists.sites(parameters)
    },
    StackExchangeMethod("errors") { (parameters, _) throws(APIError) in
      try SiteIndependentLists.errors(parameters)
    },
    StackExchangeMethod("errors/{id}") { (_, id) throws(APIError) in throw try .simulated(id) },
  ]
}

/// The lists that need no site.
private enum SiteIndependentLists {
  private static let pagesize = APIParameter<Int>(
    "pagesize", 0...1_000, default: 30, help: "items on a page")

  static func sites(_ parameters: Parameters) throws(APIError) -> Listing {
    let page = try parameters.page(size: pagesize)
    let shown = Site.all[page.range(in: Site.all.count)]
    return Listing(page: page, total: Site.all.count) { json in
      for site in shown { write(site, to: &json) }
    }
  }

  static func errors(_ parameters: Parameters) throws(APIError) -> Listing {
    let page = try parameters.page()
    let shown = APIError.all[page.range(in: APIError.all.count)]
    return Listing(page: page, total: APIError.all.count) { json in
      for error in shown {
        json.beginObject()
        json.field("description", error.message)
        json.field("error_name", error.name)
        json.field("error_id", error.identifier)
        json.endObject()
      }
    }
  }

  private static func write(_ site: Site, to json: inout JSONWriter) {
    let images = "https://cdn.sstatic.net/Sites/\(site.parameter)/img"
    json.beginObject()
    json.key("styling")
    json.beginObject()
    json.field("tag_background_color", "#E0EAF1")
    json.field("tag_foreground_color", "#3E6D8E")
    json.field("link_color", "#0077CC")
    json.endObject()
    json.key("related_sites")
    json.beginArray()
    json.beginObject()
    json.field("relation", "chat")
    json.field("site_url", "https://chat.\(site.host)")
    json.field("name", "\(site.name) Chat")
    json.endObject()
    json.endArray()
    json.key("markdown_extensions")
    json.beginArray()
    json.string("Prettify")
    json.endArray()
    json.field("launch_date", site.launchDate)
    json.field("open_beta_date", site.launchDate - 45 * 86_400)
    json.field("closed_beta_date", site.launchDate - 52 * 86_400)
    json.field("site_state", "normal")
    json.field("high_resolution_icon_url", "\(images)/apple-touch-icon@2.png")
    json.field("favicon_url", "\(images)/favicon.ico")
    json.field("icon_url", "\(images)/apple-touch-icon.png")
    json.field("audience", site.audience)
    json.field("site_url", site.address)
    json.field("api_site_parameter", site.parameter)
    json.field("logo_url", "\(images)/logo.png")
    json.field("name", site.name)
    json.field("site_type", site.parameter == "meta" ? "meta_site" : "main_site")
    json.endObject()
  }
}
