/* Trace context: what is taken, what begins a new trace, and states with a member put first. */
#include "tools.h"

#include <hoop/trace.h>

#include <stdio.h>

#define TRACE  "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

static void parent(const char *value, uint32_t version, const char *want)
{
    hoop_str text = tight_c(value);
    hoop_traceparent p = { .flags = 777 };
    char out[HOOP_TRACEPARENT_SIZE];
    int rc = hoop_traceparent_parse(text, &p);
    if (rc != (want ? 0 : HOOP_EPARSE))
        fail_msg("'%s' gave %d", value, rc);
    if (want) {
        assert_int_equal(p.version, version);
        hoop_traceparent_format(&p, out);
        assert_string_equal(out, want);
    } else {
        assert_int_equal(p.flags, 777);
    }
    drop(text);
}

static void test_parent(void **state)
{
    static const char plain[] = "00-" TRACE "-" PARENT "-01";
    parent(plain, 0, plain);
    parent("00-" TRACE "-" PARENT "-00", 0, "00-" TRACE "-" PARENT "-00");
    parent("00-" TRACE "-" PARENT "-ff", 0, "00-" TRACE "-" PARENT "-ff");
    parent("cc-" TRACE "-" PARENT "-01", 0xcc, plain);
    parent("01-" TRACE "-" PARENT "-01-what the future will be like", 1, plain);
    parent("01-" TRACE "-" PARENT "-01.what", 0, NULL);
    parent("00-" TRACE "-" PARENT "-01-", 0, NULL);
    parent("00-" TRACE "-" PARENT "-01 ", 0, NULL);
    parent("ff-" TRACE "-" PARENT "-01", 0, NULL);
    parent("00-00000000000000000000000000000000-" PARENT "-01", 0, NULL);
    parent("00-" TRACE "-0000000000000000-01", 0, NULL);
    parent("00-0AF7651916cd43dd8448eb211c80319c-" PARENT "-01", 0, NULL);
    parent("00-" TRACE "-" PARENT "-0A", 0, NULL);
    parent("00-" TRACE "-" PARENT "-0g", 0, NULL);
    parent("00_" TRACE "-" PARENT "-01", 0, NULL);
    parent("00-" TRACE "_" PARENT "-01", 0, NULL);
    parent("00-" TRACE "-" PARENT "_01", 0, NULL);
    parent("0-" TRACE "-" PARENT "-01", 0, NULL);
    parent("", 0, NULL);
    for (size_t len = 0; len < sizeof plain - 1; len++) {
        hoop_str text = tight(plain, len);
        hoop_traceparent p;
        assert_int_equal(hoop_traceparent_parse(text, &p), HOOP_EPARSE);
        drop(text);
    }
}

/* The members as "key<value> ...", "!" behind if one is none. */
static void members(const char *value, const char *want)
{
    hoop_str text = tight_c(value), rest = text, key, member;
    char got[2000] = "";
    size_t used = 0;
    int rc;
    while ((rc = hoop_tracestate_next(&rest, &key, &member)) > 0)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%.*s<%.*s>", used ? " " : "",
                                 (int)key.len, key.data, (int)member.len, member.data);
    if (rc < 0)
        strcat(got, "!");
    else
        assert_int_equal(rest.len, 0);
    assert_string_equal(got, want);
    drop(text);
}

static void test_members(void **state)
{
    char key[300], text[700], want[700];
    members("", "");
    members(" ,\t,", "");
    members("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo<00f067aa0ba902b7> congo<t61rcWkgMzE>");
    members("a=b , c=d e\t,f= g", "a<b> c<d e> f< g>");
    members("a_-*/1=!~", "a_-*/1<!~>");
    members("1a@b=c", "1a@b<c>");
    members("a", "!");
    members("a=b,c", "a<b>!");
    members("=b", "!");
    members("a=", "!");
    members("a= ", "!");
    members("a =b", "!");
    members("A=b", "!");
    members("1a=b", "!");
    members("a@1=c", "!");
    members("@b=c", "!");
    members("a@=c", "!");
    members("a@b@c=d", "!");
    members("a=b=c", "!");
    members("a=\xc3\xa4", "!");
    members("a=b\x7f", "!");
    memset(key, 'k', sizeof key);
    snprintf(text, sizeof text, "%.256s=%.256s", key, key);
    snprintf(want, sizeof want, "%.256s<%.256s>", key, key);
    members(text, want);
    snprintf(text, sizeof text, "%.257s=v", key);
    members(text, "!");
    snprintf(text, sizeof text, "k=%.257s", key);
    members(text, "!");
    snprintf(text, sizeof text, "%.241s@%.14s=v", key, key);
    snprintf(want, sizeof want, "%.241s@%.14s<v>", key, key);
    members(text, want);
    snprintf(text, sizeof text, "%.242s@k=v", key);
    members(text, "!");
    snprintf(text, sizeof text, "k@%.15s=v", key);
    members(text, "!");
}

static void sets(const char *before, const char *key, const char *value, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = tight_c(before), after = hoop_str_c("kept");
    int rc = hoop_tracestate_set(arena, text, hoop_str_c(key), hoop_str_c(value), &after);
    assert_int_equal(rc, want ? 0 : HOOP_EINVAL);
    assert_str(after, want ? want : "kept");
    drop(text);
    hoop_arena_free(arena);
}

static void test_set(void **state)
{
    sets("", "a", "1", "a=1");
    sets("b=2, c=3", "a", "1", "a=1,b=2,c=3");
    sets("b=2,a=0,c=3", "a", "1", "a=1,b=2,c=3");
    sets("a=0", "a", "1", "a=1");
    sets("b=2,junk,c=3", "a", "1", "a=1,b=2");
    sets("b=2", "A", "1", NULL);
    sets("b=2", "a", "", NULL);
    sets("b=2", "a", "1,c=2", NULL);
    char many[300] = "", want[300] = "new=1";
    for (int i = 0; i < 40; i++) {
        sprintf(many + strlen(many), "k%d=%d,", i, i);
        if (i < 31)
            sprintf(want + strlen(want), ",k%d=%d", i, i);
    }
    sets(many, "new", "1", want);
    hoop_str after;
    assert_int_equal(
        hoop_tracestate_set(NULL, hoop_str_none(), hoop_str_c("a"), hoop_str_c("b"), &after),
        HOOP_EINVAL);
}

static void set_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = hoop_arena_new_with(
        &(hoop_arena_options){ .allocator = &allocator->hoop, .block_size = 64 });
    hoop_str after,
        value = hoop_str_c("0123456789012345678901234567890123456789012345678901234567");
    if (!arena)
        return;
    int rc = hoop_tracestate_set(arena, hoop_str_none(), hoop_str_c("a"), value, &after);
    assert_true(rc == HOOP_ENOMEM || rc == 0);
    hoop_arena_free(arena);
}

static void test_memory(void **state)
{
    test_each_allocation(set_once, NULL);
}

static void test_random(void **state)
{
    uint64_t seed = 2021;
    for (int i = 0; i < 50000; i++) {
        hoop_arena *arena = hoop_arena_new();
        hoop_str text = random_text(&seed, 40, "ab=,@1 "), after, key, value;
        assert_int_equal(hoop_tracestate_set(arena, text, hoop_str_c("a"), hoop_str_c("1"), &after),
                         0);
        assert_true(after.len <= text.len + 4);
        int rc;
        size_t first = 1;
        while ((rc = hoop_tracestate_next(&after, &key, &value)) > 0) {
            assert_int_equal(hoop_str_eq_c(key, "a"), first);
            first = 0;
        }
        assert_int_equal(rc, 0);
        drop(text);
        hoop_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parent), cmocka_unit_test(test_members), cmocka_unit_test(test_set),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
