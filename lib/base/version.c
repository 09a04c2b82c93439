/* The version of the library that runs. */
#include <hoop/version.h>

const char *hoop_version(void)
{
    return HOOP_VERSION;
}
