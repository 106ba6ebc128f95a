import Compression

/// A page of a list as JSON, up to what changes from request to request: the quota.
struct RenderedPage {
  private let beginning: PreparedText
  private let filter: ResponseFilter
  private let type: String
  private let page: Page
  private let total: Int

  init(_ listing: Listing, filter: ResponseFilter) {
    self.filter = filter
    type = listing.type
    page = listing.page
    total = listing.total
    var json = JSONWriter()
    json.beginObject()
    switch filter {
    case .none: break
    case .total: json.field("total", listing.total)
    case .standard, .withBody, .everything:
      json.key("items")
      json.beginArray()
      listing.writeItems(&json)
      json.endArray()
      json.field("has_more", listing.page.hasMore(in: listing.total))
    }
    beginning = PreparedText(json.bytes)
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
      if filter == .everything {
        end.field("page", page.number)
        end.field("page_size", page.size)
        end.field("total", total)
        end.field("type", type)
      }
    }
    end.endObject()
    return .page(beginning: beginning, end: end.bytes)
  }
}
