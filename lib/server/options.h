/* From what the program gave to complete options, or to an error that names the value at fault. */
#ifndef HOOP_SERVER_OPTIONS_H
#define HOOP_SERVER_OPTIONS_H

#include <hoop/server.h>

/*
 * Reads options of an older or newer caller (NULL: all defaults) into `ret_options` and checks them.
 * `ret_limits` gets the limits with every default. Pointers in `ret_options` are as given, but for
 * `allocator`, which is set. 0, or a code and text.
 */
int hoop__options_read(hoop_server_options *ret_options, hoop_limits *ret_limits,
                       const hoop_server_options *options, size_t options_size, hoop_error *error);

/*
 * The places that the options ask for, as an array of the allocator's which the caller frees. 0, or a
 * code and text.
 */
int hoop__options_listeners(const hoop_server_options *options, hoop_listener **ret_listeners,
                            size_t *ret_count, hoop_error *error);

#endif
