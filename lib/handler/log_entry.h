/* What is found out about a request further in, for who logs it further out. */
#ifndef HOOP_HANDLER_LOG_ENTRY_H
#define HOOP_HANDLER_LOG_ENTRY_H

#include <hoop/str.h>

/* An attribute that middleware further out hangs on the request, and those further in fill. */
struct hoop__log_entry {
    hoop_str user; /* hoop_with_identity()'s name; absent: nobody was recognised */
};

extern const char hoop__log_entry_key;

#endif
