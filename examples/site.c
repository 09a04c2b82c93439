/* A site: login, session, notes for the next page, forms that no other site can send, files that are sent with a progress bar. */
#include "port.h"
#include <hoop.h>

/* --- what is remembered: one loop runs all handlers, so it needs no lock ----------------------- */

#define MOST 10

/* The newest files that were sent: what they were called, and how long they were. */
static struct sent {
    char name[100];
    size_t size;
} files[MOST];

static size_t file_count;

static void remember(const hoop_upload *file)
{
    struct sent *sent = &files[file_count++ % MOST];
    snprintf(sent->name, sizeof sent->name, "%s", file->filename.data);
    sent->size = (size_t)file->size;
}

/* --- pages ------------------------------------------------------------------------------------- */

/* Text for HTML. Whatever comes from a client goes through it. */
static const char *escaped(const hoop_request *req, const char *text)
{
    char *out = hoop_alloc(req, strlen(text) * 5 + 1), *end = out;
    if (!out)
        return "";
    for (; *text; text++)
        if (strchr("&<>\"'", *text))
            end += sprintf(end, "&#%d;", *text);
        else
            *end++ = *text;
    *end = 0;
    return out;
}

/* A page around `main`. The note of the page before stands above it, once. */
static const hoop_response *page(const hoop_request *req, int status, const char *main)
{
    hoop_str note = hoop_flash(req, "note");
    const char *html = hoop_printf(
        req,
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Site</title>"
        "<meta name=\"viewport\" content=\"width=device-width\">"
        "<link rel=\"stylesheet\" href=\"/site.css\"><script src=\"/site.js\" defer></script>"
        "<main><h1>Site</h1>%s%s%s%s</main></html>",
        note.len ? "<p id=\"note\" role=\"status\">" : "", escaped(req, note.data),
        note.len ? "</p>" : "", main ? main : "");
    return html && main ? hoop_html(req, status, html) : NULL;
}

static const hoop_response *login_page(const hoop_request *req, int status)
{
    return page(req, status,
                hoop_printf(req,
                            "<form method=\"post\" action=\"/login\">%s"
                            "<label>Name <input name=\"name\" autocomplete=\"username\"></label>"
                            "<label>Password <input name=\"password\" type=\"password\" "
                            "autocomplete=\"current-password\"></label>"
                            "<button>Sign in</button></form>",
                            hoop_csrf_field(req).data));
}

static const char *list(const hoop_request *req)
{
    const char *items = "";
    for (size_t i = 0; items && i < MOST && i < file_count; i++)
        items = hoop_printf(req, "%s<li>%s, %zu bytes", items, escaped(req, files[i].name),
                            files[i].size);
    return items ? items : "";
}

static const hoop_response *home(const hoop_request *req, void *data)
{
    hoop_str user = hoop_session_get(req, "user");
    if (!user.len)
        return login_page(req, 200);
    const char *token = hoop_csrf_field(req).data;
    return page(req, 200,
                hoop_printf(req,
                            "<form method=\"post\" action=\"/logout\">%s<p>You are <b>%s</b>. "
                            "<button>Sign out</button></p></form>"
                            "<form id=\"upload\" method=\"post\" action=\"/upload\" "
                            "enctype=\"multipart/form-data\">%s"
                            "<label>File <input type=\"file\" name=\"file\"></label>"
                            "<button>Send</button><progress value=\"0\" max=\"1\"></progress>"
                            "</form><ul>%s</ul>",
                            token, escaped(req, user.data), token, list(req)));
}

/* --- what forms do ----------------------------------------------------------------------------- */

/* Behind a POST the browser is sent to a page, so that reloading that sends nothing again. */
static const hoop_response *go_home(const hoop_request *req, const char *note)
{
    return hoop_with_flash(req, hoop_redirect(req, 303, "/"), "note", note);
}

/* A real site has users of its own, and of their passwords only hashes. */
static int is_right(const hoop_request *req)
{
    return hoop_str_eq_c(hoop_param_in(req, HOOP_IN_FORM, "name"), "ann") &&
           hoop_str_eq_c(hoop_param_in(req, HOOP_IN_FORM, "password"), "secret");
}

static const hoop_response *login(const hoop_request *req, void *data)
{
    if (!is_right(req))
        return go_home(req, "This is not the password.");
    const hoop_response *res =
        hoop_with_session_value(req, go_home(req, "Welcome."), "user", "ann");
    return hoop_session_rotate(req, res); /* an id that somebody else may know is worth nothing */
}

static const hoop_response *logout(const hoop_request *req, void *data)
{
    return hoop_session_clear(req, hoop_redirect(req, 303, "/"));
}

/* The file lies in a temporary file, or will be gone: hoop_upload_keep() would keep it. */
static const hoop_response *upload(const hoop_request *req, void *data)
{
    const hoop_upload *file = hoop_upload_find(req, "file");
    if (!hoop_session_get(req, "user").len)
        return login_page(req, 403);
    if (!file)
        return go_home(req, "There was no file.");
    remember(file);
    const char *note = hoop_printf(req, "%s has come.", file->filename.data);
    /* The script of the page shows the next one by itself. */
    if (hoop_str_eq_c(hoop_header(req, "accept"), "application/json"))
        return hoop_with_flash(req, hoop_json_object(req, 201, HOOP_JSON_STR("next", "/")), "note",
                               note);
    return go_home(req, note);
}

/* --- what pages need --------------------------------------------------------------------------- */

static const char script[] =
    "'use strict';\n"
    "const form = document.getElementById('upload');\n"
    "form?.addEventListener('submit', (event) => {\n"
    "    const request = new XMLHttpRequest(), bar = form.querySelector('progress');\n"
    "    event.preventDefault();\n"
    "    request.upload.onprogress = (e) => { bar.value = e.loaded / e.total; };\n"
    "    request.onload = () => { location.href = '/'; };\n"
    "    request.open('POST', form.action);\n"
    "    request.setRequestHeader('Accept', 'application/json');\n"
    "    request.send(new FormData(form));\n"
    "});\n";

static const char style[] = "body { font: 1em/1.5 sans-serif; background: #f4f4f2; color: #222; }\n"
                            "main { max-width: 30em; margin: 2em auto; padding: 1em 2em;\n"
                            "       background: #fff; border-radius: .5em; }\n"
                            "label { display: block; margin: 1em 0; }\n"
                            "input { font: inherit; } progress { display: block; width: 100%;\n"
                            "        margin: 1em 0; }\n"
                            "#note { background: #eef6e8; padding: .5em 1em; }\n";

static const hoop_response *show_script(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/javascript", hoop_str_c(script));
}

static const hoop_response *show_style(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/css", hoop_str_c(style));
}

static const hoop_route routes[] = {
    HOOP_GET("/", home),
    HOOP_POST("/login", login),
    HOOP_POST("/logout", logout),
    HOOP_POST("/upload", upload),
    HOOP_GET("/site.js", show_script),
    HOOP_GET("/site.css", show_style),
};

/* --- around them ------------------------------------------------------------------------------- */

static const hoop_multipart_params_options form_options = { .max_body = 100 << 20 };
static const hoop_middleware forms = HOOP_MULTIPART_PARAMS(&form_options),
                             headers = HOOP_SECURE_HEADERS(NULL),
                             catch_errors = HOOP_CATCH_ERRORS(NULL);

static int build(hoop_arena *app, hoop_handler *ret_handler, hoop_error *error)
{
    hoop_defaults site = hoop_defaults_site;
    hoop_handler router;
    site.catch_errors = &catch_errors;
    site.multipart_params = &forms;
    site.secure_headers = &headers; /* no script but the site's own */
    int rc = hoop_router_new(app, routes, HOOP_COUNT(routes), &router, error);
    return rc ? rc : hoop_defaults_new(app, &site, router, ret_handler, error);
}

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_error error;
    hoop_handler handler;
    hoop_arena *app = hoop_arena_new();
    if (build(app, &handler, &error)) {
        fprintf(stderr, "site: %s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return status;
}
