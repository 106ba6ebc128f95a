import OpshJSON
import OpshWebAPIs

extension StackExchangeMethod {
  static let tags = [
    StackExchangeMethod(ofSite: "tags") { (lists, parameters, _) throws(APIError) in
      try lists.tags(parameters)
    },
    StackExchangeMethod(ofSite: "tags/{tags}/info") { (lists, parameters, names) throws(APIError) in
      try lists.tags(named: names, parameters)
    },
  ]
}

/// The orders of tags.
private enum TagSort: String, CaseIterable, APIWord {
  case popular, activity, name

  static let parameter = APIParameter<TagSort>("sort", default: .popular, help: "sort key")
}

extension SiteLists {
  fileprivate func tags(_ parameters: Parameters) throws(APIError) -> Listing {
    let part = parameters.text("inname")?.lowercased()
    return try tags(parameters) { name in part.map { name.contains($0) } ?? true }
  }

  fileprivate func tags(named text: String, _ parameters: Parameters) throws(APIError) -> Listing {
    let names = Set(text.lowercased().split(separator: ";").map(String.init))
    guard !names.isEmpty else { throw .unknownMethod }
    guard names.count <= 20 else { throw .badParameter("tags") }
    return try tags(parameters) { names.contains($0) }
  }

  private func tags(
    _ parameters: Parameters, where isIncluded: (String) -> Bool
  ) throws(APIError) -> Listing {
    let sort = try parameters[TagSort.parameter]
    let page = try parameters.page()
    let isDescending = try parameters[StackExchange.order] == .descending
    let dates = try parameters.range(StackExchange.fromDate, StackExchange.toDate)
    var tags = dataset.tagUses.filter { tag in
      isIncluded(tag.name) && (dates?.contains(tag.firstUse) ?? true)
    }
    switch sort {
    case .popular, .activity:
      let values = try parameters.range(StackExchange.minimum, StackExchange.maximum)
      func key(_ tag: Dataset.TagUse) -> Int { sort == .popular ? tag.count : tag.lastActivity }
      if let values { tags.removeAll { !values.contains(key($0)) } }
      tags.sort { (key($0), $1.name) > (key($1), $0.name) }
    case .name:
      if let least = parameters.text("min") { tags.removeAll { $0.name < least } }
      if let greatest = parameters.text("max") { tags.removeAll { $0.name > greatest } }
      tags.sort { $0.name > $1.name }
    }
    if !isDescending { tags.reverse() }
    let shown = tags[page.range(in: tags.count)]
    return Listing(page: page, total: tags.count) { json in
      for tag in shown {
        json.beginObject()
        // Tags with many questions tend to have other names.
        json.field("has_synonyms", tag.count > 150)
        json.field("is_moderator_only", false)
        json.field("is_required", false)
        json.field("count", tag.count)
        json.field("name", tag.name)
        json.endObject()
      }
    }
  }
}
