/* What a request tells of the route that was chosen for it. */
#include "handler/router.h"

#include <assert.h>
#include <string.h>

static_assert(offsetof(struct hoop__row, group) == sizeof(hoop_route), "behind the public row");
static_assert(offsetof(struct hoop__route_group, parent) == sizeof(hoop_route), "likewise");

hoop_str hoop__path_param(const hoop_request *req, const char *name)
{
    for (const struct hoop__match *m = hoop__match_of(req); m; m = m->parent)
        for (uint32_t i = 0; i < m->value_count; i++)
            if (hoop_str_eq_c(m->row->path.names[i], name))
                return m->values[i];
    return hoop_str_none();
}

const hoop_route *hoop_request_route(const hoop_request *req)
{
    const struct hoop__match *m = req ? hoop__match_of(req) : NULL;
    return m ? &m->row->pub : NULL;
}

const hoop_route *hoop_route_group(const hoop_route *route)
{
    if (!route)
        return NULL;
    /* A route and a group both begin with the public row, and what they stand in is behind it. */
    const struct hoop__route_group *group;
    memcpy(&group, (const char *)route + sizeof *route, sizeof group);
    return group && group->parent ? &group->pub : NULL;
}

hoop_str hoop_request_produces(const hoop_request *req)
{
    const struct hoop__match *m = req ? hoop__match_of(req) : NULL;
    return m ? m->media : hoop_str_none();
}

hoop_str hoop_context(const hoop_request *req)
{
    const struct hoop__match *m = req ? hoop__match_of(req) : NULL;
    return m && m->uri == req->uri.data ? m->context : hoop_str_n("", 0);
}

hoop_str hoop_path_info(const hoop_request *req)
{
    const struct hoop__match *m = req ? hoop__match_of(req) : NULL;
    if (!req)
        return hoop_str_none();
    return m && m->uri == req->uri.data ? m->path_info : req->uri;
}
