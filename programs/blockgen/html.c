#include "html.h"
#include "json.h"

const char html_head[] =
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<style>\n"
    ":root{color-scheme:light "
    "dark;--page:#f6f7f9;--card:#fff;--ink:#1b1f24;--quiet:#5b6470;--line:#dfe3e8;--blue:#0072b2;"
    "--orange:#e69f00}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14171b;--card:#1e2227;--ink:#e8eaed;--quiet:#a0a8b3;--line:#"
    "343a42;"
    "--blue:#56b4e9;--orange:#e69f00}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:1500px;margin:0 auto;padding:1.5rem}\n"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:0 0 .6rem}\n"
    "a{color:var(--blue)}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem}\n"
    ".sigma{font-size:clamp(1.5rem,4vw,2.4rem);font-weight:600;margin:.3rem 0 0}\n"
    ".quiet{color:var(--quiet)}\n"
    ".note{border-left:4px solid var(--orange);padding-left:.8rem}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:1rem;margin:1rem 0}\n"
    "dl{margin:0}dl div{display:flex;justify-content:space-between;gap:1rem;padding:.18rem 0;"
    "border-bottom:1px solid var(--line)}dl div:last-child{border:0}\n"
    "dt{color:var(--quiet)}dd{margin:0;text-align:right;overflow-wrap:anywhere}\n"
    ".split{display:flex;height:.8rem;border-radius:4px;overflow:hidden;margin:.6rem 0 .2rem;background:var(--line)}\n"
    ".split :first-child{background:var(--orange)}.split :last-child{background:var(--blue)}\n"
    "pre{overflow-x:auto;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(420px,100%),1fr));gap:1rem;margin:1rem "
    "0}\n"
    "figure{margin:0;padding:.6rem}figure img{display:block;width:100%;height:auto;background:#fff;border-radius:6px}\n"
    "figcaption{display:flex;justify-content:space-between;flex-wrap:wrap;gap:.2rem 1rem;padding:.4rem .3rem 0}\n"
    "</style>\n";

void html_escaped(FILE *f, const char *s)
{
    for (int bytes; *s; s += bytes ? bytes : 1) {
        bytes = json_character(s);
        switch (*s) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        case '\'': fputs("&#39;", f); break;
        default:
            if (bytes)
                fwrite(s, 1, (size_t)bytes, f);
            else
                fputs("\uFFFD", f); /* a byte that is no text, as names of folders may have */
        }
    }
}
