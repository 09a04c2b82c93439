/* JSONTestSuite's cases (tests/data/json/suite), read in each way that there is. */
#include "reader_tools.h"

#include <dirent.h>

/* What the standard leaves open, one by one. The two readers agree; jansson's values hold less. */
static const struct {
    const char *name;
    int tree; /* taken into a tree, and as a stream */
    int json; /* taken as json_t */
} open_cases[] = {
    /* Numbers of any size stay text; a json_t has 64 bits and doubles, and an underflow is 0. */
    { "i_number_double_huge_neg_exp.json", 1, 1 },
    { "i_number_huge_exp.json", 1, 0 },
    { "i_number_neg_int_huge_exp.json", 1, 0 },
    { "i_number_pos_double_huge_exp.json", 1, 0 },
    { "i_number_real_neg_overflow.json", 1, 0 },
    { "i_number_real_pos_overflow.json", 1, 0 },
    { "i_number_real_underflow.json", 1, 1 },
    { "i_number_too_big_neg_int.json", 1, 0 },
    { "i_number_too_big_pos_int.json", 1, 0 },
    { "i_number_very_big_negative_int.json", 1, 0 },
    /* Half a surrogate pair is no character, and has no UTF-8. */
    { "i_object_key_lone_2nd_surrogate.json", 0, 0 },
    { "i_string_1st_surrogate_but_2nd_missing.json", 0, 0 },
    { "i_string_1st_valid_surrogate_2nd_invalid.json", 0, 0 },
    { "i_string_incomplete_surrogate_and_escape_valid.json", 0, 0 },
    { "i_string_incomplete_surrogate_pair.json", 0, 0 },
    { "i_string_incomplete_surrogates_escape_valid.json", 0, 0 },
    { "i_string_invalid_lonely_surrogate.json", 0, 0 },
    { "i_string_invalid_surrogate.json", 0, 0 },
    { "i_string_inverted_surrogates_U+1D11E.json", 0, 0 },
    { "i_string_lone_second_surrogate.json", 0, 0 },
    /* JSON that is exchanged is UTF-8 (RFC 8259 8.1), and nothing is repaired. */
    { "i_string_UTF-16LE_with_BOM.json", 0, 0 },
    { "i_string_UTF-8_invalid_sequence.json", 0, 0 },
    { "i_string_UTF8_surrogate_U+D800.json", 0, 0 },
    { "i_string_invalid_utf-8.json", 0, 0 },
    { "i_string_iso_latin_1.json", 0, 0 },
    { "i_string_lone_utf8_continuation_byte.json", 0, 0 },
    { "i_string_not_in_unicode_range.json", 0, 0 },
    { "i_string_overlong_sequence_2_bytes.json", 0, 0 },
    { "i_string_overlong_sequence_6_bytes.json", 0, 0 },
    { "i_string_overlong_sequence_6_bytes_null.json", 0, 0 },
    { "i_string_truncated-utf-8.json", 0, 0 },
    { "i_string_utf16BE_no_BOM.json", 0, 0 },
    { "i_string_utf16LE_no_BOM.json", 0, 0 },
    /* Fewer levels than the limit of 2048. */
    { "i_structure_500_nested_arrays.json", 1, 1 },
    /* A byte order mark is not ignored: RFC 8259 8.1 leaves the choice. */
    { "i_structure_UTF-8_BOM_empty_object.json", 0, 0 },
};

/*
 * Two names twice, and NUL, are well-formed, but refused unless asked: which of two values is meant is not
 * known, and C strings end at NUL.
 */
static const char *const strict_cases[] = {
    "y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
    "y_object_escaped_null_in_key.json",
    "y_string_null_escape.json",
};

static int is_strict(const char *name)
{
    for (size_t i = 0; i < HOOP_COUNT(strict_cases); i++)
        if (strcmp(name, strict_cases[i]) == 0)
            return 1;
    return 0;
}

static int taken(const char *name, int by_json)
{
    for (size_t i = 0; i < HOOP_COUNT(open_cases); i++)
        if (strcmp(name, open_cases[i].name) == 0)
            return by_json ? open_cases[i].json : open_cases[i].tree;
    assert_true(name[0] != 'i');
    return name[0] == 'y';
}

static void check_tree(const char *name, hoop_str text, hoop_json_error *error)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc = NULL;
    const hoop_doc_options loose = { .duplicates = HOOP_DOC_LAST, .allow_nul = 1 };
    int rc = hoop_doc_parse(arena, text, &doc, error, &loose);
    if ((rc == 0) != taken(name, 0))
        fail_msg("%s as a tree: %d %s", name, rc, rc ? error->text : "");
    assert_true(rc ? !doc && error->code == rc : hoop_doc_root(doc) != NULL);
    if (is_strict(name)) {
        hoop_json_error strict;
        assert_int_not_equal(hoop_doc_parse(arena, text, &doc, &strict, NULL), 0);
    }
    hoop_arena_free(arena);
}

/* Cut in two at each place, and byte by byte, the events and errors are the same. */
static void check_stream(const char *name, hoop_str text, const hoop_json_error *tree_error)
{
    const hoop_json_reader_options options = { .allow_nul = 1 };
    struct told whole = { 0 };
    hoop_json_error error;
    int rc = read_pieces(text, text.len, 1, &tell_all, &whole, &options, &error);
    if ((rc == 0) != taken(name, 0))
        fail_msg("%s as a stream: %d %s", name, rc, rc ? error.text : "");
    if (rc)
        same_error(&error, tree_error);
    for (size_t at = 0; at < text.len && at < 1100; at++) {
        struct told cut = { 0 };
        hoop_json_error again;
        size_t step = at ? text.len : 1;
        assert_int_equal(read_pieces(text, at ? at : 1, step, &tell_all, &cut, &options, &again),
                         rc);
        if (rc)
            same_error(&again, &error);
        assert_int_equal(cut.len, whole.len);
        assert_string_equal(cut.text ? cut.text : "", whole.text ? whole.text : "");
        free(cut.text);
    }
    free(whole.text);
}

static void check_json(const char *name, hoop_str text)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *problem = NULL;
    const hoop_request *req = hoop_mock_body(hoop_mock(arena, "POST", "/", NULL), NULL, text);
    json_t *value = hoop_request_json(req, &problem);
    json_t *peer = json_loadb(text.data, text.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if ((value != NULL) != (taken(name, 1) && !is_strict(name)))
        fail_msg("%s as json_t: %s", name, problem ? problem->body.data : "taken");
    if (value)
        assert_true(json_equal(value, peer));
    else
        assert_int_equal(problem->status, 400);
    /* jansson drops a NUL behind a number; all else it refuses, too. */
    if (!memchr(text.data, 0, text.len))
        assert_true((value != NULL) == (peer != NULL));
    json_decref(peer);
    hoop_arena_free(arena);
}

static void test_suite(void **state)
{
    char path[1024];
    int cases = 0, open = 0;
    data_path(path, sizeof path, "suite");
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[512];
        hoop_json_error error;
        if (!strstr(entry->d_name, ".json"))
            continue;
        snprintf(name, sizeof name, "suite/%s", entry->d_name);
        hoop_str text = data_file(name);
        check_tree(entry->d_name, text, &error);
        check_stream(entry->d_name, text, &error);
        check_json(entry->d_name, text);
        drop_exact(text);
        cases++;
        open += entry->d_name[0] == 'i';
    }
    closedir(folder);
    assert_int_equal(cases, 318);
    assert_int_equal(open, HOOP_COUNT(open_cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_suite) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
