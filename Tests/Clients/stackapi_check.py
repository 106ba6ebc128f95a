"""Reads the practice server with StackAPI, unmodified but for its base address.

    stackapi_check.py URL paging      with no faults set
    stackapi_check.py URL backoff     where every page of questions asks for a backoff of 3 s
"""

import sys
import time

import stackapi
import stackapi.stackapi


def client(url, **options):
    return stackapi.StackAPI("stackoverflow", base_url=url, **options)


def expect(condition, what):
    if not condition:
        sys.exit("not so: " + what)


def expect_error(call, error, code):
    try:
        call()
    except stackapi.StackAPIError as failure:
        expect(failure.error == error, f"error {failure.error} is {error}")
        expect(failure.code == code, f"'{failure.code}' is '{code}'")
        return failure
    sys.exit(f"not so: an error {error} came")


def paging(url):
    site = client(url, max_pages=3, page_size=40)
    questions = site.fetch("questions", sort="creation", order="asc")
    ids = [item["question_id"] for item in questions["items"]]
    expect(len(ids) == 120 and len(set(ids)) == 120, "three pages have 120 questions")
    expect(ids == sorted(ids), "they are in the order of their creation")
    expect(questions["has_more"] is True and questions["page"] == 3, "there are more")
    expect(questions["quota_max"] == 300 and questions["quota_remaining"] < 297, "the quota falls")

    tagged = site.fetch("questions", tagged="c++;templates")
    expect(tagged["items"], "there are questions about c++ and templates")
    for item in tagged["items"]:
        expect({"c++", "templates"} <= set(item["tags"]), "both tags are there")
    found = site.fetch("search", tagged="rust;go", sort="votes")["items"]
    expect(all({"rust", "go"} & set(item["tags"]) for item in found), "one of the tags is there")
    expect(len({tag for item in found for tag in item["tags"]} & {"rust", "go"}) == 2, "both occur")
    some = site.fetch("search/advanced", q="cancel", accepted=True, pagesize=5)["items"]
    expect(all("accepted_answer_id" in item for item in some), "they are accepted")

    again = site.fetch("questions/{ids}", ids=ids[:5])["items"]
    expect({item["question_id"] for item in again} == set(ids[:5]), "five questions by their ids")
    answers = site.fetch("questions/{ids}/answers", ids=ids[:20])["items"]
    expect(answers and all(a["question_id"] in ids[:20] for a in answers), "answers to them")
    one = site.fetch("answers/{ids}", ids=[answers[0]["answer_id"]])["items"]
    expect(one[0] == answers[0], "the same answer by its id")
    dated = site.fetch("questions", fromdate=1_600_000_000, todate=1_650_000_000)["items"]
    expect(all(1_600_000_000 <= q["creation_date"] <= 1_650_000_000 for q in dated), "in time")
    expect(site.fetch("tags", pagesize=1)["items"][0]["count"] > 0, "a tag is counted")
    expect(site.fetch("questions", filter="total")["total"] == 5_000, "there are 5,000")

    failure = expect_error(
        lambda: site.fetch("questions", pagesize=101), 400, "bad_parameter")
    expect(failure.message == "pagesize", "the message names the parameter")
    expect_error(lambda: site.fetch("errors/{id}", id=503), 503, "temporarily_unavailable")
    expect_error(lambda: site.fetch("nonsense"), 404, "no_method")
    expect_error(lambda: site.fetch("questions", page=26), 403, "access_denied")
    keyed = client(url, key="k", max_pages=1).fetch("questions", page=26)
    expect(keyed["quota_max"] == 10_000 and keyed["items"], "with a key there is a page 26")
    try:
        stackapi.StackAPI("nonsense", base_url=url)
    except ValueError:
        return
    sys.exit("not so: an unknown site is refused")


def backoff(url):
    site = client(url, max_pages=2, page_size=10)
    start = time.monotonic()
    questions = site.fetch("questions")
    expect(len(questions["items"]) == 20 and questions["backoff"] == 3, "two pages, one backoff")
    expect(time.monotonic() - start >= 6, "the library waits as it is asked to")

    # The same library without its patience is refused. It waits a little, because what comes within
    # a few milliseconds may have been on its way already, and is not held against a client.
    stackapi.stackapi.sleep = lambda seconds: time.sleep(0.05)
    failure = expect_error(lambda: site.fetch("questions"), 502, "throttle_violation")
    expect(failure.message == "Violation of backoff parameter", "the message says why")
    expect(site.fetch("tags", pagesize=3)["items"], "other methods answer")


if __name__ == "__main__":
    {"paging": paging, "backoff": backoff}[sys.argv[2]](sys.argv[1])
    print("all is so")
