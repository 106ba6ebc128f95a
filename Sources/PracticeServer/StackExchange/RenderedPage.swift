import Compression

/// A page of a list as JSON, up to what changes from request to request: the quota.
struct RenderedPage {
  private let beginning: PreparedText
  private let filter: ResponseFilter
  /// Tells this page from all others, whatever the quota is.
  let tag: String

  init(_ listing: Listing, filter: ResponseFilter) {
    self.filter = filter
    var json = JSONWriter()
    json.beginObject()
    switch filter {
    case .none: break
    case .total: json.field("total", listing.total)
    case .standard, .withBody:
      json.key("items")
      json.beginArray()
      listing.writeItems(&json)
      json.endArray()
      json.field("has_more", listing.page.hasMore(in: listing.total))
    }
    beginning = PreparedText(json.bytes)
    tag = EntityTag.weak(of: json.bytes)
  }

  /// How many bytes the page takes in memory.
  var size: Int { beginning.text.count + (beginning.compressed?.compressedCount ?? 0) }

  /// Adds what changes.
  func completed(quota: Quota, backoff: Int?) -> ResponseBody {
    var end = JSONWriter()
    if filter != .none, filter != .total {
      end.continueObject()
      end.field(optional: "backoff", backoff)
      end.field("quota_max", quota.maximum)
      end.field("quota_remaining", quota.remaining)
    }
    end.endObject()
    return .page(beginning: beginning, end: end.bytes)
  }
}
