/* JSON, as `bench --compare` reads it. */
#include "fuzz.h"

#include "jsonread.h"

#include <stdlib.h>
#include <string.h>

/* Every value is of one kind, and has what belongs to it. */
static void visit(const json_value *v, int depth)
{
    fuzz_require(depth <= 65);
    fuzz_require(!v->text == (v->kind != JSON_TEXT));
    fuzz_require(!v->first || v->kind == JSON_ARRAY || v->kind == JSON_OBJECT);
    for (const json_value *m = v->first; m; m = m->next) {
        fuzz_require(!m->key == (v->kind != JSON_OBJECT));
        if (m->key) fuzz_require(json_member(v, m->key) != NULL);
        visit(m, depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[128] = "", *text = fuzz_text(data, size);
    json_value *v = json_read(text, why, sizeof why);
    fuzz_count(v != NULL);
    fuzz_require(v || why[0]);
    if (v && size < 4096) visit(v, 0); /* looking up all members takes time with the square of their number */
    json_free(v);
    free(text);
    return 0;
}
