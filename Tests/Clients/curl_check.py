"""Asks the practice server with curl for every route, and checks status, headers and shape.

    curl_check.py URL
"""

import json
import subprocess
import sys

URL = sys.argv[1]
PARSE = ["-H", "X-Parse-Application-Id: app", "-H", "X-Parse-REST-API-Key: key"]
failures = []

USER = {"?account_id": int, "?reputation": int, "?user_id": int, "user_type": str,
        "?accept_rate": int, "?profile_image": str, "display_name": str, "?link": str}
QUESTION = {"tags": [str], "owner": USER, "is_answered": bool, "view_count": int,
            "answer_count": int, "score": int, "last_activity_date": int, "creation_date": int,
            "question_id": int, "link": str, "title": str, "?*": (int, str)}
ANSWER = {"owner": USER, "is_accepted": bool, "score": int, "last_activity_date": int,
          "creation_date": int, "answer_id": int, "question_id": int, "?*": (int, str)}
TAG = {"has_synonyms": bool, "is_moderator_only": bool, "is_required": bool, "count": int,
       "name": str}
SITE = {"api_site_parameter": str, "name": str, "site_url": str, "launch_date": int,
        "?*": (int, str, list, dict)}
ERROR = {"error_id": int, "error_message": str, "error_name": str}
ENTITIES = {
    "?hashtags": [{"text": str, "indices": [int]}],
    "?urls": [{"url": str, "expanded_url": str, "display_url": str, "indices": [int]}],
    "?user_mentions": [{"screen_name": str, "name": str, "id": int, "id_str": str,
                        "indices": [int]}]}
TWEET = {"created_at": str, "?entities": ENTITIES, "from_user": str, "from_user_id": int,
         "from_user_id_str": str, "from_user_name": str,
         "geo": (None, {"type": str, "coordinates": [(int, float)]}), "id": int, "id_str": str,
         "?in_reply_to_status_id": int, "?in_reply_to_status_id_str": str,
         "iso_language_code": str, "metadata": {"result_type": str, "?recent_retweets": int},
         "profile_image_url": str, "profile_image_url_https": str, "source": str, "text": str,
         "to_user": (None, str), "to_user_id": int, "to_user_id_str": str,
         "to_user_name": (None, str)}
TWEETS = {"completed_in": float, "max_id": int, "max_id_str": str, "?next_page": str,
          "page": int, "query": str, "?refresh_url": str, "results": [TWEET],
          "results_per_page": int, "since_id": int, "since_id_str": str, "?warning": str}
OBJECT = {"objectId": str, "createdAt": str, "updatedAt": str,
          "?*": (None, int, str, list, dict)}


def page(item):
    return {"items": [item], "has_more": bool, "quota_max": int, "quota_remaining": int}


def fault(value, shape, path="$"):
    """Says where a value does not have a shape; None if it has."""
    if isinstance(shape, tuple):
        return None if any(fault(value, one) is None for one in shape) else f"{path}: {value!r}"
    if shape is None:
        return None if value is None else f"{path}: {value!r} is not null"
    if isinstance(shape, type):
        # A boolean counts as an integer in Python, but nowhere else.
        right = isinstance(value, shape) and isinstance(value, bool) == (shape is bool)
        return None if right else f"{path}: {value!r} is no {shape.__name__}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{path}: {value!r} is no list"
        found = (fault(item, shape[0], f"{path}[{i}]") for i, item in enumerate(value))
        return next((one for one in found if one), None)
    if not isinstance(value, dict):
        return f"{path}: {value!r} is no object"
    for key, inner in shape.items():
        name = key.lstrip("?")
        if name == "*":
            continue
        if name not in value:
            if key == name:
                return f"{path}: no {name}"
        elif found := fault(value[name], inner, f"{path}.{name}"):
            return found
    for key in value:
        if key not in shape and "?" + key not in shape:
            if "?*" not in shape:
                return f"{path}: an unknown {key}"
            if found := fault(value[key], shape["?*"], f"{path}.{key}"):
                return found
    return None


def curl(*arguments):
    """Runs curl; gives the status, the headers by their names in lower case, and the body."""
    run = subprocess.run(
        ["curl", "--silent", "--show-error", "--include", "--http1.1", "--max-time", "20",
         "--globoff", *arguments], capture_output=True)
    if run.returncode:
        return run.returncode, {}, run.stderr.decode()
    head, _, body = run.stdout.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines[1:])}
    return int(lines[0].split()[1]), headers, body.decode(errors="replace")


def check(path, shape, *arguments, status=200, headers=()):
    got, found, body = curl(URL + path, *arguments)
    if got != status:
        return failures.append(f"{path}: {got}, not {status}: {body[:200]}")
    for name, value in headers:
        if value not in found.get(name, ""):
            failures.append(f"{path}: {name} is {found.get(name)!r}")
    if shape is not None:
        try:
            wrong = fault(json.loads(body), shape)
        except ValueError as error:
            wrong = f"{error}: {body[:80]!r}"
        if wrong:
            failures.append(f"{path}: {wrong}")
    return body


GZIP = [("content-encoding", "gzip"), ("etag", 'W/"'), ("cache-control", "private")]
for version, slash in (("2.2", ""), ("2.3", "/")):
    def stack(path, item, query="", **more):
        return check(f"/{version}/{path}{slash}?site=stackoverflow&{query}", page(item),
                     "--compressed", headers=GZIP, **more)

    listed = stack("questions", QUESTION, "pagesize=100&sort=votes")
    ids = [str(item["question_id"]) for item in json.loads(listed)["items"][:20]]
    stack("questions/" + ";".join(ids), QUESTION)
    answers = json.loads(stack(f"questions/{';'.join(ids)}/answers", ANSWER))["items"]
    stack("answers", ANSWER, "pagesize=100&order=asc")
    stack("answers/" + ";".join(str(a["answer_id"]) for a in answers), ANSWER)
    stack("search", QUESTION, "tagged=swift;c%2B%2B&nottagged=ios")
    stack("search", QUESTION, "intitle=thread")
    stack("search/advanced", QUESTION, "q=thread&closed=false&views=10&sort=relevance")
    stack("tags", TAG)
    stack("tags/swift;c%2B%2B/info", TAG)
    stack("info", {"?*": (int, float, str)})
    stack("sites", SITE, "pagesize=1000")
    stack("errors", {"description": str, "error_id": int, "error_name": str})
    check(f"/{version}/errors/502{slash}", ERROR, "--compressed", status=400)
    check(f"/{version}/questions{slash}", ERROR, "--compressed", status=400)
with_body = {**QUESTION, "body": str}
check("/2.3/questions?site=stackoverflow&filter=withbody", page(with_body), "--compressed")
check("/2.3/questions?site=stackoverflow&filter=total", {"total": int}, "--compressed")
check("/2.3/questions?site=stackoverflow&filter=none", {}, "--compressed")
check("/2.3/questions?site=stackoverflow&filter=!nKzQUR", page(QUESTION), "--compressed")
check("/2.3/tags?callback=f", None, "--compressed",
      headers=[("content-type", "application/javascript")])

JSON = [("content-type", "application/json; charset=utf-8")]
for query in ("q=swift", "q=c%2B%2B", "q=R%26D", "q=%E6%97%A5%E6%9C%AC%E8%AA%9E", "q=%23sky&rpp=100",
              "q=a&result_type=popular", "q=a&geocode=37.78,-122.4,10mi", "q=a&lang=ja&show_user=1",
              "q=a&include_entities=true&rpp=100", "q=a&since_id=1", "q=-x"):
    check("/search.json?" + query, TWEETS, headers=JSON)
    check("/search.json?" + query, TWEETS, "--compressed", headers=[("content-encoding", "gzip")])
check("/search.json", {"error": str}, status=403)
check("/search.atom?q=a", {"error": str}, status=406)

for base in ("/1", "/parse", "/parse/1"):
    quotes = base + "/classes/Quote"
    check(quotes, {"results": [OBJECT]}, *PARSE, headers=JSON)
    check(quotes + "?limit=0&count=1", {"results": [OBJECT], "count": int}, *PARSE)
    check(quotes, {"error": str}, status=403)
    made = check(quotes, {"objectId": str, "createdAt": str}, *PARSE, "--json", '{"text":"x"}',
                 status=201, headers=[("location", f"{URL}{quotes}/")])
    one = f"{quotes}/{json.loads(made)['objectId']}"
    check(one, OBJECT, *PARSE)
    check(one, {"updatedAt": str, "readCount": int}, *PARSE, "-X", "PUT", "--json",
          '{"readCount":{"__op":"Increment","amount":1}}')
    check(one, {}, *PARSE, "-X", "DELETE")
    check(one, {"code": int, "error": str}, *PARSE, status=404)
    check(quotes + "?where=x", {"code": int, "error": str}, *PARSE, status=400)

tag = curl(URL + "/2.3/sites")[1].get("etag", "")
status, _, body = curl(URL + "/2.3/sites", "-H", f"If-None-Match: {tag}")
if status != 304 or body:
    failures.append(f"/2.3/sites a second time: {status}, {len(body)} bytes")
check("/", None, headers=[("content-type", "text/plain")])
check("/nowhere", None, status=404)

if failures:
    sys.exit("\n".join(failures))
print("all is so")
