/* The built-in media types by file extension; the types are those of IANA's registry where it has one. */
#include "codec/mime.h"

#include "codec/chars.h"

#include <string.h>

#define EXTENSION_MAX 15

struct row {
    char extension[EXTENSION_MAX + 1];
    const char *type;
};

/* In the order of strcmp, which a test checks. */
static const struct row rows[] = {
    { "3g2", "video/3gpp2" },
    { "3gp", "video/3gpp" },
    { "3gpp", "video/3gpp" },
    { "3mf", "model/3mf" },
    { "7z", "application/x-7z-compressed" },
    { "aac", "audio/aac" },
    { "ac3", "audio/ac3" },
    { "ai", "application/postscript" },
    { "aif", "audio/x-aiff" },
    { "aifc", "audio/x-aiff" },
    { "aiff", "audio/x-aiff" },
    { "amr", "audio/amr" },
    { "apk", "application/vnd.android.package-archive" },
    { "apng", "image/apng" },
    { "appcache", "text/cache-manifest" },
    { "asc", "application/pgp-keys" },
    { "asf", "video/x-ms-asf" },
    { "asx", "video/x-ms-asf" },
    { "atom", "application/atom+xml" },
    { "au", "audio/basic" },
    { "avi", "video/x-msvideo" },
    { "avif", "image/avif" },
    { "bat", "text/plain" },
    { "bib", "text/x-bibtex" },
    { "bin", "application/octet-stream" },
    { "bmp", "image/bmp" },
    { "bz2", "application/x-bzip2" },
    { "c", "text/plain" },
    { "cab", "application/vnd.ms-cab-compressed" },
    { "cap", "application/vnd.tcpdump.pcap" },
    { "cc", "text/plain" },
    { "cer", "application/pkix-cert" },
    { "cfg", "text/plain" },
    { "chm", "application/vnd.ms-htmlhelp" },
    { "cjs", "text/javascript" },
    { "class", "application/java-vm" },
    { "clj", "text/plain" },
    { "conf", "text/plain" },
    { "cpio", "application/x-cpio" },
    { "cpp", "text/plain" },
    { "crl", "application/pkix-crl" },
    { "crt", "application/x-x509-ca-cert" },
    { "cs", "text/plain" },
    { "css", "text/css" },
    { "csv", "text/csv" },
    { "cxx", "text/plain" },
    { "dart", "application/dart" },
    { "dat", "application/octet-stream" },
    { "db", "application/vnd.sqlite3" },
    { "dcm", "application/dicom" },
    { "deb", "application/octet-stream" },
    { "der", "application/x-x509-ca-cert" },
    { "diff", "text/plain" },
    { "djv", "image/vnd.djvu" },
    { "djvu", "image/vnd.djvu" },
    { "dll", "application/octet-stream" },
    { "dmg", "application/octet-stream" },
    { "dms", "application/octet-stream" },
    { "doc", "application/msword" },
    { "docm", "application/vnd.ms-word.document.macroenabled.12" },
    { "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document" },
    { "dot", "application/msword" },
    { "dotx", "application/vnd.openxmlformats-officedocument.wordprocessingml.template" },
    { "dtd", "application/xml-dtd" },
    { "dvi", "application/x-dvi" },
    { "dwg", "image/vnd.dwg" },
    { "dxf", "image/vnd.dxf" },
    { "edn", "application/edn" },
    { "emf", "image/emf" },
    { "eml", "message/rfc822" },
    { "eot", "application/vnd.ms-fontobject" },
    { "eps", "application/postscript" },
    { "epub", "application/epub+zip" },
    { "exe", "application/octet-stream" },
    { "fits", "image/fits" },
    { "flac", "audio/flac" },
    { "flv", "video/x-flv" },
    { "geojson", "application/geo+json" },
    { "ggb", "application/vnd.geogebra.file" },
    { "gif", "image/gif" },
    { "glb", "model/gltf-binary" },
    { "gltf", "model/gltf+json" },
    { "go", "text/plain" },
    { "gpg", "application/pgp-keys" },
    { "gpx", "application/gpx+xml" },
    { "gz", "application/gzip" },
    { "h", "text/plain" },
    { "h264", "video/h264" },
    { "heic", "image/heic" },
    { "heif", "image/heif" },
    { "hh", "text/plain" },
    { "hpp", "text/plain" },
    { "htc", "text/x-component" },
    { "htm", "text/html" },
    { "html", "text/html" },
    { "hxx", "text/plain" },
    { "ico", "image/vnd.microsoft.icon" },
    { "ics", "text/calendar" },
    { "ifb", "text/calendar" },
    { "iges", "model/iges" },
    { "igs", "model/iges" },
    { "img", "application/octet-stream" },
    { "in", "text/plain" },
    { "ini", "text/plain" },
    { "iso", "application/octet-stream" },
    { "jar", "application/java-archive" },
    { "java", "text/plain" },
    { "jfif", "image/jpeg" },
    { "jnlp", "application/x-java-jnlp-file" },
    { "jp2", "image/jp2" },
    { "jpe", "image/jpeg" },
    { "jpeg", "image/jpeg" },
    { "jpg", "image/jpeg" },
    { "js", "text/javascript" },
    { "json", "application/json" },
    { "json5", "application/json5" },
    { "jsonl", "application/jsonl" },
    { "jsonld", "application/ld+json" },
    { "jxl", "image/jxl" },
    { "kar", "audio/midi" },
    { "keynote", "application/vnd.apple.keynote" },
    { "kml", "application/vnd.google-earth.kml+xml" },
    { "kmz", "application/vnd.google-earth.kmz" },
    { "kt", "text/plain" },
    { "ktx", "image/ktx" },
    { "ktx2", "image/ktx2" },
    { "lha", "application/x-lha" },
    { "list", "text/plain" },
    { "lock", "text/plain" },
    { "log", "text/plain" },
    { "ltx", "text/x-tex" },
    { "lua", "text/plain" },
    { "lzh", "application/x-lha" },
    { "m1v", "video/mpeg" },
    { "m2t", "video/mp2t" },
    { "m2ts", "video/mp2t" },
    { "m2v", "video/mpeg" },
    { "m3u", "audio/x-mpegurl" },
    { "m3u8", "application/vnd.apple.mpegurl" },
    { "m4a", "audio/mp4" },
    { "m4b", "audio/mp4" },
    { "m4s", "video/iso.segment" },
    { "m4v", "video/mp4" },
    { "man", "text/troff" },
    { "map", "application/json" },
    { "markdown", "text/markdown" },
    { "mathml", "application/mathml+xml" },
    { "mbox", "application/mbox" },
    { "md", "text/markdown" },
    { "me", "text/troff" },
    { "mesh", "model/mesh" },
    { "mht", "message/rfc822" },
    { "mhtml", "message/rfc822" },
    { "mid", "audio/midi" },
    { "midi", "audio/midi" },
    { "mime", "message/rfc822" },
    { "mjs", "text/javascript" },
    { "mka", "audio/matroska" },
    { "mkd", "text/markdown" },
    { "mkv", "video/matroska" },
    { "mov", "video/quicktime" },
    { "mp2", "audio/mpeg" },
    { "mp3", "audio/mpeg" },
    { "mp4", "video/mp4" },
    { "mp4a", "audio/mp4" },
    { "mp4v", "video/mp4" },
    { "mpd", "application/dash+xml" },
    { "mpe", "video/mpeg" },
    { "mpeg", "video/mpeg" },
    { "mpg", "video/mpeg" },
    { "mpg4", "video/mp4" },
    { "mpga", "audio/mpeg" },
    { "mpkg", "application/vnd.apple.installer+xml" },
    { "mpp", "application/vnd.ms-project" },
    { "ms", "text/troff" },
    { "msg", "application/vnd.ms-outlook" },
    { "msi", "application/octet-stream" },
    { "msm", "application/octet-stream" },
    { "msp", "application/octet-stream" },
    { "mts", "video/mp2t" },
    { "mvt", "application/vnd.mapbox-vector-tile" },
    { "ndjson", "application/jsonl" },
    { "numbers", "application/vnd.apple.numbers" },
    { "o", "application/octet-stream" },
    { "obj", "model/obj" },
    { "odb", "application/vnd.oasis.opendocument.database" },
    { "odc", "application/vnd.oasis.opendocument.chart" },
    { "odf", "application/vnd.oasis.opendocument.formula" },
    { "odg", "application/vnd.oasis.opendocument.graphics" },
    { "odi", "application/vnd.oasis.opendocument.image" },
    { "odp", "application/vnd.oasis.opendocument.presentation" },
    { "ods", "application/vnd.oasis.opendocument.spreadsheet" },
    { "odt", "application/vnd.oasis.opendocument.text" },
    { "oga", "audio/ogg" },
    { "ogg", "audio/ogg" },
    { "ogv", "video/ogg" },
    { "ogx", "application/ogg" },
    { "opus", "audio/ogg" },
    { "otf", "font/otf" },
    { "otp", "application/vnd.oasis.opendocument.presentation-template" },
    { "ots", "application/vnd.oasis.opendocument.spreadsheet-template" },
    { "ott", "application/vnd.oasis.opendocument.text-template" },
    { "owl", "application/rdf+xml" },
    { "p10", "application/pkcs10" },
    { "p12", "application/x-pkcs12" },
    { "p7c", "application/pkcs7-mime" },
    { "p7m", "application/pkcs7-mime" },
    { "p7s", "application/pkcs7-signature" },
    { "p8", "application/pkcs8" },
    { "pages", "application/vnd.apple.pages" },
    { "patch", "text/plain" },
    { "pbm", "image/x-portable-bitmap" },
    { "pcap", "application/vnd.tcpdump.pcap" },
    { "pdf", "application/pdf" },
    { "pem", "application/x-x509-ca-cert" },
    { "pfx", "application/x-pkcs12" },
    { "pgm", "image/x-portable-graymap" },
    { "pgp", "application/pgp-encrypted" },
    { "pkg", "application/octet-stream" },
    { "pl", "text/plain" },
    { "pm", "text/plain" },
    { "png", "image/png" },
    { "pnm", "image/x-portable-anymap" },
    { "pot", "application/vnd.ms-powerpoint" },
    { "potx", "application/vnd.openxmlformats-officedocument.presentationml.template" },
    { "ppm", "image/x-portable-pixmap" },
    { "pps", "application/vnd.ms-powerpoint" },
    { "ppsx", "application/vnd.openxmlformats-officedocument.presentationml.slideshow" },
    { "ppt", "application/vnd.ms-powerpoint" },
    { "pptm", "application/vnd.ms-powerpoint.presentation.macroenabled.12" },
    { "pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation" },
    { "properties", "text/plain" },
    { "ps", "application/postscript" },
    { "psd", "image/vnd.adobe.photoshop" },
    { "py", "text/plain" },
    { "qt", "video/quicktime" },
    { "rar", "application/vnd.rar" },
    { "ras", "image/x-cmu-raster" },
    { "rb", "text/plain" },
    { "rdf", "application/rdf+xml" },
    { "rgb", "image/x-rgb" },
    { "rmi", "audio/midi" },
    { "roff", "text/troff" },
    { "rpm", "application/octet-stream" },
    { "rq", "application/sparql-query" },
    { "rs", "text/plain" },
    { "rss", "application/rss+xml" },
    { "rtf", "application/rtf" },
    { "rtx", "text/richtext" },
    { "scm", "text/plain" },
    { "sgm", "text/sgml" },
    { "sgml", "text/sgml" },
    { "sh", "application/x-sh" },
    { "shar", "application/x-shar" },
    { "shtml", "text/html" },
    { "sig", "application/pgp-signature" },
    { "snd", "audio/basic" },
    { "so", "application/octet-stream" },
    { "spx", "audio/ogg" },
    { "sql", "application/sql" },
    { "sqlite", "application/vnd.sqlite3" },
    { "sqlite3", "application/vnd.sqlite3" },
    { "srt", "application/x-subrip" },
    { "stl", "model/stl" },
    { "sty", "text/x-tex" },
    { "svg", "image/svg+xml" },
    { "swf", "application/x-shockwave-flash" },
    { "swift", "text/plain" },
    { "t", "text/troff" },
    { "tar", "application/x-tar" },
    { "tcl", "application/x-tcl" },
    { "tcx", "application/vnd.garmin.tcx+xml" },
    { "tex", "text/x-tex" },
    { "texi", "application/x-texinfo" },
    { "texinfo", "application/x-texinfo" },
    { "text", "text/plain" },
    { "tga", "image/x-tga" },
    { "tif", "image/tiff" },
    { "tiff", "image/tiff" },
    { "toml", "text/plain" },
    { "torrent", "application/x-bittorrent" },
    { "tr", "text/troff" },
    { "ts", "video/mp2t" },
    { "tsv", "text/tab-separated-values" },
    { "ttc", "font/collection" },
    { "ttf", "font/ttf" },
    { "ttl", "text/turtle" },
    { "txt", "text/plain" },
    { "udeb", "application/octet-stream" },
    { "vcard", "text/vcard" },
    { "vcf", "text/vcard" },
    { "vrml", "model/vrml" },
    { "vsd", "application/vnd.visio" },
    { "vst", "application/vnd.visio" },
    { "vtt", "text/vtt" },
    { "wasm", "application/wasm" },
    { "wav", "audio/wav" },
    { "wbmp", "image/vnd.wap.wbmp" },
    { "weba", "audio/webm" },
    { "webm", "video/webm" },
    { "webmanifest", "application/manifest+json" },
    { "webp", "image/webp" },
    { "wma", "audio/x-ms-wma" },
    { "wmf", "image/wmf" },
    { "wmv", "video/x-ms-wmv" },
    { "woff", "font/woff" },
    { "woff2", "font/woff2" },
    { "wrl", "model/vrml" },
    { "xbm", "image/x-xbitmap" },
    { "xht", "application/xhtml+xml" },
    { "xhtml", "application/xhtml+xml" },
    { "xlam", "application/vnd.ms-excel.addin.macroenabled.12" },
    { "xls", "application/vnd.ms-excel" },
    { "xlsb", "application/vnd.ms-excel.sheet.binary.macroenabled.12" },
    { "xlsm", "application/vnd.ms-excel.sheet.macroenabled.12" },
    { "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
    { "xlt", "application/vnd.ms-excel" },
    { "xltx", "application/vnd.openxmlformats-officedocument.spreadsheetml.template" },
    { "xlw", "application/vnd.ms-excel" },
    { "xml", "application/xml" },
    { "xop", "application/xop+xml" },
    { "xpi", "application/x-xpinstall" },
    { "xpm", "image/x-xpixmap" },
    { "xps", "application/vnd.ms-xpsdocument" },
    { "xsd", "application/xml" },
    { "xsl", "application/xml" },
    { "xslt", "application/xslt+xml" },
    { "xspf", "application/xspf+xml" },
    { "xul", "application/vnd.mozilla.xul+xml" },
    { "xwd", "image/x-xwindowdump" },
    { "xz", "application/x-xz" },
    { "yaml", "application/yaml" },
    { "yang", "application/yang" },
    { "yml", "application/yaml" },
    { "zip", "application/zip" },
    { "zst", "application/zstd" },
};

hoop_str hoop__mime_extension(hoop_str path)
{
    size_t at = path.len;
    while (at > 0 && path.data[at - 1] != '.' && path.data[at - 1] != '/')
        at--;
    /* A name that begins with its only dot has none: ".profile". */
    if (at < 2 || path.data[at - 1] != '.' || path.data[at - 2] == '/')
        return hoop_str_none();
    return hoop_str_n(path.data + at, path.len - at);
}

size_t hoop__mime_fold(hoop_str extension, char *out)
{
    for (size_t i = 0; i < extension.len; i++) {
        char c = extension.data[i];
        out[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return extension.len;
}

hoop_str hoop__mime_builtin(hoop_str extension)
{
    char name[EXTENSION_MAX + 1] = { 0 };
    size_t low = 0, high = sizeof rows / sizeof *rows;
    if (extension.len == 0 || extension.len > EXTENSION_MAX)
        return hoop_str_none();
    hoop__mime_fold(extension, name);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = memcmp(name, rows[middle].extension, sizeof name);
        if (order == 0)
            return hoop_str_c(rows[middle].type);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return hoop_str_none();
}

size_t hoop__mime_builtin_count(void)
{
    return sizeof rows / sizeof *rows;
}

hoop_str hoop__mime_builtin_at(size_t index, hoop_str *ret_type)
{
    *ret_type = hoop_str_c(rows[index].type);
    return hoop_str_c(rows[index].extension);
}

/* --- the system's table ---------------------------------------------------------------------- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next word of the line, or absent at its end; a '#' ends it, too. */
static hoop_str next_word(hoop_str *rest)
{
    size_t at = 0, start;
    while (at < rest->len && is_blank(rest->data[at]) && rest->data[at] != '\n')
        at++;
    start = at;
    if (at < rest->len && rest->data[at] == '#')
        while (at < rest->len && rest->data[at] != '\n')
            start = ++at;
    while (at < rest->len && !is_blank(rest->data[at]))
        at++;
    hoop_str word = hoop_str_n(rest->data + start, at - start);
    *rest = hoop_str_n(rest->data + at, rest->len - at);
    return word.len ? word : hoop_str_none();
}

/* type "/" subtype of token bytes alone: what may stand in a header. */
static int is_type(hoop_str word)
{
    size_t slashes = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] == '/')
            slashes++;
        else if (!hoop__char_is(word.data[i], HOOP__CHAR_TOKEN))
            return 0;
    }
    return slashes == 1 && word.data[0] != '/' && word.data[word.len - 1] != '/';
}

int hoop__mime_types_next(struct hoop__mime_types *types, hoop_str *ret_type,
                          hoop_str *ret_extension)
{
    while (types->rest.len) {
        hoop_str word = next_word(&types->rest);
        if (hoop_str_is_none(word)) { /* the end of a line */
            types->type = hoop_str_none();
            if (types->rest.len)
                types->rest = hoop_str_n(types->rest.data + 1, types->rest.len - 1);
        } else if (hoop_str_is_none(types->type)) {
            types->type = word;
        } else if (is_type(types->type)) {
            *ret_type = types->type;
            *ret_extension = word;
            return 1;
        }
    }
    return 0;
}
