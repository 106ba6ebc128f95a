#include "texts.h"

// `#embed` is standard since C23; clang has it for every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

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
