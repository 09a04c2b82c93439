/* SIGINT and SIGTERM for programs that leave them to hoop_serve(); a guest in a host has none. */
#include "net/loop.h"

static const int numbers[2] = { SIGINT, SIGTERM };

static void on_signal(uv_signal_t *handle, int number)
{
    struct hoop__net_loop *loop = handle->data;
    hoop__loop_enter(&loop->base);
    hoop__net_begin(loop);
    loop->signal_fn(loop->signal_data);
    hoop__net_end(loop);
}

int hoop__net_loop_signals(struct hoop__net_loop *loop, void (*fn)(void *data), void *data)
{
    loop->signal_fn = fn;
    loop->signal_data = data;
    for (int i = 0; i < 2; i++) {
        uv_signal_t *handle = &loop->signals[i];
        /* libuv sets the default action when it is done, so the program's own is kept here. */
        sigaction(numbers[i], NULL, &loop->old_actions[i]);
        int rc = uv_signal_init(loop->uv, handle);
        if (rc)
            return rc;
        handle->data = loop;
        loop->handles++;
        loop->has_signals++;
        uv_unref((uv_handle_t *)handle);
        rc = uv_signal_start(handle, on_signal, numbers[i]);
        if (rc)
            return rc;
    }
    return 0;
}

void hoop__net_signals_close(struct hoop__net_loop *loop, uv_close_cb closed)
{
    for (int i = 0; i < loop->has_signals; i++)
        uv_close((uv_handle_t *)&loop->signals[i], closed);
}

void hoop__net_signals_restore(struct hoop__net_loop *loop)
{
    for (int i = 0; i < loop->has_signals; i++)
        sigaction(numbers[i], &loop->old_actions[i], NULL);
    loop->has_signals = 0;
}
