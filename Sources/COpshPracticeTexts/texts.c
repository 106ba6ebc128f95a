#include "practice_texts.h"

// `#embed` is standard since C23; clang has it for every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char stack_exchange[] = {
#embed "Data/stack-exchange.json"
};

static const unsigned char twitter[] = {
#embed "Data/twitter.json"
};

static const unsigned char parse[] = {
#embed "Data/parse.json"
};

#define TEXT(array) ((struct opsh_practice_text){array, sizeof array})

struct opsh_practice_text opsh_practice_stack_exchange(void) { return TEXT(stack_exchange); }
struct opsh_practice_text opsh_practice_twitter(void) { return TEXT(twitter); }
struct opsh_practice_text opsh_practice_parse(void) { return TEXT(parse); }
