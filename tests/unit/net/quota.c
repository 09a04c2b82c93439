/* Counting connections: in all, and by address in a table that grows and closes its gaps. */
#include "support.h"

#include "net/quota.h"

static struct hoop__peer v4(unsigned n)
{
    struct hoop__peer peer = { .family = 4 };
    peer.remote[0] = 10;
    peer.remote[2] = (uint8_t)(n >> 8);
    peer.remote[3] = (uint8_t)n;
    return peer;
}

static struct hoop__peer v6(unsigned n)
{
    struct hoop__peer peer = { .family = 6 };
    peer.remote[14] = (uint8_t)(n >> 8);
    peer.remote[15] = (uint8_t)n;
    return peer;
}

static void counts_all(void **state)
{
    struct hoop__quota q;
    struct hoop__peer a = v4(1), b = v4(2);
    assert_int_equal(hoop__quota_init(&q, &hoop__malloc, 2, 2), 0);
    assert_int_equal(hoop__quota_take(&q, &a), 0);
    assert_int_equal(hoop__quota_take(&q, &b), 0);
    assert_int_equal(hoop__quota_take(&q, &a), HOOP_EBUSY);
    hoop__quota_give(&q, &b);
    assert_int_equal(hoop__quota_take(&q, &a), 0);
    assert_null(q.peers);
    hoop__quota_done(&q);
}

static void counts_by_address(void **state)
{
    struct hoop__quota q;
    struct hoop__peer a = v4(1), b = v6(1), unix_peer = { .family = 1 };
    assert_int_equal(hoop__quota_init(&q, &hoop__malloc, 100, 2), 0);
    assert_int_equal(hoop__quota_take(&q, &a), 0);
    assert_int_equal(hoop__quota_take(&q, &a), 0);
    assert_int_equal(hoop__quota_take(&q, &a), HOOP_EBUSY);
    assert_int_equal(hoop__quota_take(&q, &b), 0);
    for (int i = 0; i < 10; i++)
        assert_int_equal(hoop__quota_take(&q, &unix_peer), 0);
    assert_int_equal(atomic_load(&q.connections), 13);
    hoop__quota_give(&q, &a);
    assert_int_equal(hoop__quota_take(&q, &a), 0);
    assert_int_equal(hoop__quota_take(&q, &a), HOOP_EBUSY);
    hoop__quota_done(&q);
}

/* Many addresses come and go in another order; nobody is lost, nothing is left. */
static void finds_all_again(void **state)
{
    struct hoop__quota q;
    assert_int_equal(hoop__quota_init(&q, &hoop__malloc, 1000000, 1), 0);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned n = 0; n < 5000; n++) {
            struct hoop__peer peer = n % 2 ? v4(n) : v6(n);
            assert_int_equal(hoop__quota_take(&q, &peer), 0);
        }
        for (unsigned n = 0; n < 5000; n++) {
            struct hoop__peer peer = n % 2 ? v4(n) : v6(n);
            assert_int_equal(hoop__quota_take(&q, &peer), HOOP_EBUSY);
        }
        for (unsigned i = 0; i < 5000; i++) {
            unsigned n = i * 1237 % 5000;
            struct hoop__peer peer = n % 2 ? v4(n) : v6(n);
            hoop__quota_give(&q, &peer);
        }
        assert_int_equal(q.used, 0);
        assert_int_equal(atomic_load(&q.connections), 0);
        for (uint32_t i = 0; i < q.size; i++)
            assert_int_equal(q.peers[i].count, 0);
    }
    hoop__quota_done(&q);
}

static void take_many(struct test_allocator *a, void *data)
{
    struct hoop__quota q;
    assert_int_equal(hoop__quota_init(&q, &a->hoop, 1000, 1), 0);
    for (unsigned n = 0; n < 200; n++) {
        struct hoop__peer peer = v4(n);
        int rc = hoop__quota_take(&q, &peer);
        assert_true(rc == 0 || rc == HOOP_ENOMEM);
    }
    hoop__quota_done(&q);
}

static void survives_every_failed_allocation(void **state)
{
    test_each_allocation(take_many, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_all),
        cmocka_unit_test(counts_by_address),
        cmocka_unit_test(finds_all_again),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
