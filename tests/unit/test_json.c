/* The reader of JSON: what it takes, what it refuses and in which line, and that no text makes it stumble. */
#include "support.h"

#include "jsonread.h"

static json_value *read_good(const char *text)
{
    char why[128] = "";
    json_value *v = json_read(text, why, sizeof why);
    if (!v) fail_msg("'%s': %s", text, why);
    return v;
}

static void refuse(const char *text, const char *words)
{
    char why[128] = "";
    json_value *v = json_read(text, why, sizeof why);
    if (v) fail_msg("'%s' was taken", text);
    if (!strstr(why, "not JSON") || !strstr(why, words)) fail_msg("'%s': '%s' does not say '%s'", text, why, words);
}

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double number;
    } numbers[] = {
        {"0", 0.}, {"-0.5", -0.5}, {" 12e3\n", 12e3}, {"1E-2", 0.01}, {"9007199254740993", 9007199254740992.}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        json_value *v = read_good(numbers[k].text);
        assert_int_equal(v->kind, JSON_NUMBER);
        assert_true(json_number(v, -1.) == numbers[k].number);
        json_free(v);
    }
    json_value *v = read_good("[null, true, false, \"\", [], {}]");
    static const json_kind kinds[] = {JSON_NULL, JSON_TRUE, JSON_FALSE, JSON_TEXT, JSON_ARRAY, JSON_OBJECT};
    const json_value *at = v->first;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++, at = at->next) {
        assert_non_null(at);
        assert_int_equal(at->kind, kinds[k]);
        assert_null(at->first);
        assert_null(at->key);
    }
    assert_null(at);
    json_free(v);
}

static void texts(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"\"plain\"", "plain"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud834\\udd1e\"", "\xf0\x9d\x84\x9e"},
        {"\"\xc3\xa9\"", "\xc3\xa9"},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        json_value *v = read_good(pairs[k][0]);
        assert_string_equal(json_string(v, ""), pairs[k][1]);
        json_free(v);
    }
}

static void members(void **state)
{
    (void)state;
    json_value *v = read_good("{\"a\": 1, \"b\": {\"c\": [2, \"x\"]}, \"yes\": true, \"no\": false, \"a\": 5}");
    assert_true(json_number(json_member(v, "a"), 0.) == 1.); /* the first of two */
    const json_value *c = json_member(json_member(v, "b"), "c");
    assert_non_null(c);
    assert_true(json_number(c->first, 0.) == 2.);
    assert_string_equal(json_string(c->first->next, ""), "x");
    assert_int_equal(json_boolean(json_member(v, "yes"), 0), 1);
    assert_int_equal(json_boolean(json_member(v, "no"), 1), 0);
    /* nothing, or something of another kind: what was to be taken instead */
    assert_null(json_member(v, "d"));
    assert_null(json_member(c, "c"));
    assert_null(json_member(NULL, "c"));
    assert_true(json_number(json_member(v, "yes"), 7.) == 7. && json_number(NULL, 7.) == 7.);
    assert_string_equal(json_string(json_member(v, "a"), "other"), "other");
    assert_int_equal(json_boolean(json_member(v, "a"), 3), 3);
    json_free(v);
    json_free(NULL);
}

static void refusals(void **state)
{
    (void)state;
    refuse("", "ends too early");
    refuse("[1,\n2,\n", "line 3");
    refuse("{\"a\" 1}", "without ':'");
    refuse("{1: 2}", "without a name");
    refuse("[1 2]", "neither");
    refuse("[1] 2", "more after the end");
    refuse("{\"a\": tru}", "no value");
    refuse("\"open", "closing quote");
    refuse("\"\n\"", "control character");
    refuse("\"\\q\"", "unknown escape");
    refuse("\"\\u12\"", "four hexadecimal digits");
    refuse("\"\\ud800\"", "surrogate");
    refuse("\"\\ud800\\u0041\"", "surrogate");
    static const char *const no_numbers[] = {"nan", "inf", "+1", ".5", "0x1", "-", "-x"};
    for (size_t k = 0; k < sizeof no_numbers / sizeof *no_numbers; k++) refuse(no_numbers[k], "no value");
    static const char *const lax[] = {"0001", "-01", "1.", "1.e5", "2e", "2e+", "[3.]"};
    for (size_t k = 0; k < sizeof lax / sizeof *lax; k++) refuse(lax[k], "not written as JSON has it");
    char deep[200];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    refuse(deep, "too deep");
}

static void files(void **state)
{
    (void)state;
    char why[128] = "";
    assert_null(json_read_file("/nowhere/old.json", why, sizeof why));
    assert_non_null(strstr(why, "cannot read"));
    assert_null(json_read_file("/", why, sizeof why));
    assert_non_null(strstr(why, "cannot read"));
    /* larger than the room that it begins with */
    FILE *f = tmpfile();
    assert_non_null(f);
    fputs("[0", f);
    for (int k = 1; k < 50000; k++) fprintf(f, ", %d", k);
    fputs("]\n", f);
    fflush(f);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(f));
    json_value *v = json_read_file(path, why, sizeof why);
    if (!v) fail_msg("%s", why);
    int count = 0;
    for (const json_value *at = v->first; at; at = at->next) assert_true(json_number(at, -1.) == count++);
    assert_int_equal(count, 50000);
    json_free(v);
    fclose(f);
}

/* Every value of a document, and no more of them than it has characters. */
static size_t count_values(const json_value *v)
{
    size_t count = 0;
    for (; v; v = v->next) {
        assert_true(v->kind <= JSON_OBJECT && (v->kind != JSON_TEXT || v->text));
        count += 1 + count_values(v->first);
    }
    return count;
}

/* A good document with some of its characters changed, left out or cut off: a tree, or a reason. */
static void spoiled(void **state)
{
    (void)state;
    static const char good[] =
        "{\"version\": \"0.1\", \"results\": [{\"n_out\": 2, \"x\": -1.5e-3, \"s\": \"\\u00e9\\n\\ud834\\udd1e\"}, "
        "[true, false, null], {}], \"more\": [[[]]]}";
    static const char spice[] = "{}[]\",:\\u0e+-. \ntrfalsn\x01\xff";
    random_source r = fresh_source(1);
    int taken = 0, refused = 0;
    for (int trial = 0; trial < 20000; trial++) {
        char text[sizeof good], why[128] = "";
        memcpy(text, good, sizeof good);
        for (int k = random_below(&r, 4); k >= 0; k--) {
            const size_t length = strlen(text), at = length ? (size_t)random_below(&r, (int)length) : 0;
            const int what = random_below(&r, 8);
            if (what == 0)
                text[at] = '\0';
            else if (what < 3)
                memmove(text + at, text + at + (length > 0), length - at + (length == 0));
            else if (length)
                text[at] = spice[random_below(&r, (int)sizeof spice - 1)];
        }
        json_value *v = json_read(text, why, sizeof why);
        if (v) {
            taken++;
            assert_true(count_values(v) <= strlen(text) + 1);
            assert_null(v->next);
            json_free(v);
        } else {
            refused++;
            if (!strstr(why, "not JSON") || !strstr(why, "line ")) fail_msg("'%s': %s", text, why);
        }
    }
    assert_true(taken > 100 && refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),   cmocka_unit_test(texts), cmocka_unit_test(members),
        cmocka_unit_test(refusals), cmocka_unit_test(files), cmocka_unit_test(spoiled),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
