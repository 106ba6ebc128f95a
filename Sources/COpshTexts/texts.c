#include "texts.h"

#include <string.h>

// `#embed` is standard since C23; clang has it for every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char data_parse[] = {
#embed "Data/parse.json"
};

static const unsigned char data_stack_exchange[] = {
#embed "Data/stack-exchange.json"
};

static const unsigned char data_twitter[] = {
#embed "Data/twitter.json"
};

static const unsigned char errors_engine[] = {
#embed "Errors/engine.txt"
};

static const unsigned char errors_network[] = {
#embed "Errors/network.txt"
};

static const unsigned char errors_outcomes[] = {
#embed "Errors/outcomes.txt"
};

static const unsigned char errors_server[] = {
#embed "Errors/server.txt"
};

static const unsigned char errors_shared[] = {
#embed "Errors/shared.txt"
};

static const unsigned char errors_stores[] = {
#embed "Errors/stores.txt"
};

static const unsigned char errors_tls[] = {
#embed "Errors/tls.txt"
};

static const unsigned char help_concepts[] = {
#embed "Help/concepts.txt"
};

static const unsigned char help_foundation[] = {
#embed "Help/foundation.txt"
};

static const unsigned char help_topics[] = {
#embed "Help/topics.txt"
};

static const unsigned char help_words[] = {
#embed "Help/words.txt"
};

static const unsigned char page_markup[] = {
#embed "Page/page.html"
};

static const unsigned char page_style[] = {
#embed "Page/colors.css"
,
#embed "Page/page.css"
,
#embed "Page/sizes.css"
};

// The order matters: a part uses what stands in those before it.
static const unsigned char page_script[] = {
#embed "Page/text.js"
,
#embed "Page/history.js"
,
#embed "Page/scale.js"
,
#embed "Page/spans.js"
,
#embed "Page/records.js"
,
#embed "Page/model.js"
,
#embed "Page/trim.js"
,
#embed "Page/words.js"
,
#embed "Page/lane.js"
,
#embed "Page/lanes.js"
,
#embed "Page/timeline.js"
,
#embed "Page/graph.js"
,
#embed "Page/requests.js"
,
#embed "Page/inspector.js"
,
#embed "Page/commands.js"
,
#embed "Page/player.js"
,
#embed "Page/live.js"
,
#embed "Page/main.js"
,
#embed "Page/keys.js"
};

#define TEXT(array) ((struct opsh_text){array, sizeof array})

struct opsh_text opsh_page_markup(void) { return TEXT(page_markup); }
struct opsh_text opsh_page_style(void) { return TEXT(page_style); }
struct opsh_text opsh_page_script(void) { return TEXT(page_script); }

static const struct {
  const char *name;
  struct opsh_text text;
} texts[] = {
    {"Data/parse", {data_parse, sizeof data_parse}},
    {"Data/stack-exchange", {data_stack_exchange, sizeof data_stack_exchange}},
    {"Data/twitter", {data_twitter, sizeof data_twitter}},
    {"Errors/engine", {errors_engine, sizeof errors_engine}},
    {"Errors/network", {errors_network, sizeof errors_network}},
    {"Errors/outcomes", {errors_outcomes, sizeof errors_outcomes}},
    {"Errors/server", {errors_server, sizeof errors_server}},
    {"Errors/shared", {errors_shared, sizeof errors_shared}},
    {"Errors/stores", {errors_stores, sizeof errors_stores}},
    {"Errors/tls", {errors_tls, sizeof errors_tls}},
    {"Help/concepts", {help_concepts, sizeof help_concepts}},
    {"Help/foundation", {help_foundation, sizeof help_foundation}},
    {"Help/topics", {help_topics, sizeof help_topics}},
    {"Help/words", {help_words, sizeof help_words}},
};

struct opsh_text opsh_text_named(const char *name) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(texts[i].name, name) == 0) return texts[i].text;
  return (struct opsh_text){0, 0};
}
