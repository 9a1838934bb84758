/* Pages as trees: whatever a text holds, it stays one. */
#include "report/html.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/drive.h"

TestSuite(html, .init = make_folder, .fini = remove_folder);

/* The page as it is written, freed by the caller, and its tree no more. */
static char *saved(xmlNode *html)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    cr_assert(stream != NULL && kg__html_print(stream, html));
    fclose(stream);
    kg__html_free(html);
    return text;
}

static void expect_page(xmlNode *html, const char *expected)
{
    char *text = saved(html);

    cr_expect(strcmp(text, expected) == 0, "%s", text);
    free(text);
}

Test(html, a_page)
{
    xmlNode *html = kg__html_new("en");
    xmlNode *body = kg__html_add(html, "body", NULL);

    kg__html_add_class(body, "p", "note", "µs");
    kg__html_add(body, "br", "");
    kg__html_addf(body, "b", "%d %s", 3, "cases");
    kg__html_text(body, " pass");
    expect_page(html, "<!DOCTYPE html>\n<html lang=\"en\"><body><p class=\"note\">µs</p><br>"
                      "<b>3 cases</b> pass</body></html>\n");
}

Test(html, hostile_texts_stay_texts)
{
    static const char text[] = "<b a='1' c=\"2\">&amp; ]]> </script> \x01\x1b[31m\n\xff";
    xmlNode *html = kg__html_new("en");

    kg__html_set(html, "title", text);
    kg__html_add(html, "p", text);
    expect_page(
        html, "<!DOCTYPE html>\n<html lang=\"en\" title=\"&lt;b a='1' c=&quot;2&quot;&gt;&amp;amp; "
              "]]&gt; &lt;/script&gt;   [31m \xef\xbf\xbd\"><p>&lt;b a='1' c=\"2\"&gt;&amp;amp; "
              "]]&gt; &lt;/script&gt;   [31m \xef\xbf\xbd</p></html>\n");
}

Test(html, no_line_ends_within_a_figure)
{
    xmlNode *html = kg__html_new("en");

    kg__html_add_words(html, "p", "9 550 600 against 22 and 1 234, b 128 at 7 1234 5 67 of 8 900");
    kg__html_add_words(html, "p", "");
    expect_page(html, "<!DOCTYPE html>\n<html lang=\"en\"><p>9\u00a0550\u00a0600 against 22 and "
                      "1\u00a0234, b 128 at 7 1234 5 67 of 8\u00a0900</p><p></p></html>\n");
}

Test(html, scripts_and_styles_are_not_escaped)
{
    xmlNode *html = kg__html_new("en");

    kg__html_add_raw(html, "style", "a > b { content: \"&\" }");
    kg__html_add_raw(html, "script", "if (1 < 2 && 3 > 2) ;");
    expect_page(html, "<!DOCTYPE html>\n<html lang=\"en\"><style>a > b { content: \"&\" }</style>"
                      "<script>if (1 < 2 && 3 > 2) ;</script></html>\n");
}

/* No text in it ends the element, or begins a comment. */
Test(html, json)
{
    xmlNode *html = kg__html_new("en");
    json_t *data = json_pack("{s:s}", "a", "</script><!--<script> & \" \xc2\xb5");

    kg__html_add_json(html, "data", data);
    json_decref(data);
    expect_page(html,
                "<!DOCTYPE html>\n<html lang=\"en\"><script type=\"application/json\" id=\"data\">"
                "{\"a\":\"\\u003c/script>\\u003c!--\\u003cscript> & \\\" \xc2\xb5\"}</script>"
                "</html>\n");
}

Test(html, markdown)
{
    static const struct {
        const char *line;
        const char *html;
    } table[] = {
        { "plain", "plain" },
        { "**wrong**: `a/b`: c\\[row 1\\]: a \\| b", "<strong>wrong</strong>: <code>a/b</code>: "
                                                     "c[row 1]: a | b" },
        { "&lt;b&gt; \\&amp; \\\\ \\*\\*", "&lt;b&gt; &amp;amp; \\ **" },
        { "`**a**`", "<code>**a**</code>" },
        { "`open", "`open" },
        { "**open `a`", "**open `a`" },
        { "``", "<code></code>" },
        { "end\\", "end\\" },
        { "", "" },
        { "* 2 &x", "* 2 &amp;x" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        xmlNode *html = kg__html_new("en");
        char expected[512];

        kg__html_add_markdown(kg__html_add(html, "p", NULL), table[i].line);
        snprintf(expected, sizeof expected, "<!DOCTYPE html>\n<html lang=\"en\"><p>%s</p></html>\n",
                 table[i].html);
        expect_page(html, expected);
    }
}
