// pictures: PNG files of graphs, taken by a browser without a window.
#include "pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"

enum { WIDTH = 1200, TALLEST = 16000 };  // pixels
static const double PATIENCE_S = 30;     // for one picture; it takes about one second

static const char *const browsers[] = {"chromium", "chromium-browser", "google-chrome-stable",
                                       "google-chrome", "chrome"};

void pictures_done(struct pictures *pictures)
{
    free(pictures->browser);
    temporary_done(&pictures->folder);
}

struct bilanx_error pictures_open(struct pictures *pictures)
{
    const char *chosen = getenv("BILANX_BROWSER");
    for (size_t i = 0; i < sizeof browsers / sizeof *browsers && !chosen && !pictures->browser; i++)
        pictures->browser = file_find_program(browsers[i]);
    if (chosen && *chosen)
        pictures->browser = file_find_program(chosen);
    if (!pictures->browser && chosen && *chosen)
        return bilanx_error_make(BILANX_E_FAILED, "BILANX_BROWSER is '%s', which was not found",
                                 chosen);
    if (!pictures->browser)
        return bilanx_error_make(BILANX_E_FAILED,
                                 chosen ? "BILANX_BROWSER is empty"
                                        : "no browser is installed (Debian's package: chromium)");
    return temporary_init(&pictures->folder, NULL);
}

static struct bilanx_error run_browser(const struct pictures *pictures, double height)
{
    const char *folder = pictures->folder.path;
    AUTO(memory) char *profile = mem_format("--user-data-dir=%s/profile", folder);
    AUTO(memory) char *size = mem_format("--window-size=%d,%.0f", WIDTH, height);
    AUTO(memory) char *shot = mem_format("--screenshot=%s/graph.png", folder);
    AUTO(memory) char *page = mem_format("%s/graph.html", folder);
    AUTO(memory) char *home = mem_format("HOME=%s", folder);
    const char *const argv[] = {pictures->browser,
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--disable-extensions",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--hide-scrollbars",
                                "--force-device-scale-factor=1",
                                profile,
                                size,
                                shot,
                                page,
                                NULL};
    AUTO(text) struct text output = {0};
    int status = 0;
    // Like a shell, it may leave processes behind that hold its output open.
    BILANX_TRY(capture_run(&(struct capture_options){.argv = argv,
                                                     .environment = (char *[]){home, NULL},
                                                     .timeout_s = PATIENCE_S,
                                                     .shell = true},
                           &output, &status));
    if (status != 0)
        return bilanx_error_make(BILANX_E_EXITED, "it exited with status %d", status);
    return BILANX_SUCCESS;
}

// As an image, an SVG runs no scripts. They would only add controls.
static const char PAGE[] = "<!doctype html><title>graph</title><body style=\"margin: 0\">"
                           "<img src=\"graph.svg\" style=\"display: block\">\n";

static struct bilanx_error take(const struct pictures *pictures, const struct text *svg,
                                double height, struct text *png)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    AUTO(memory) char *from = mem_format("%s/graph.svg", pictures->folder.path);
    AUTO(memory) char *page = mem_format("%s/graph.html", pictures->folder.path);
    AUTO(memory) char *to = mem_format("%s/graph.png", pictures->folder.path);
    AUTO(text) struct text bytes = {0};
    remove(to);
    BILANX_TRY(file_write(from, svg->data, svg->size));
    BILANX_TRY(file_write(page, PAGE, sizeof PAGE - 1));
    BILANX_TRY(run_browser(pictures, height));
    if (file_read(to, &bytes).status != BILANX_OK)
        return bilanx_error_make(BILANX_E_FAILED, "it wrote no picture");
    if (bytes.size < sizeof signature - 1 ||
        memcmp(bytes.data, signature, sizeof signature - 1) != 0)
        return bilanx_error_make(BILANX_E_FAILED, "what it wrote is no PNG");
    text_add_n(png, bytes.data, bytes.size);
    return BILANX_SUCCESS;
}

bool pictures_take(struct pictures *pictures, const struct text *svg, double height,
                   struct text *png)
{
    double pixels = height < 100 || !isfinite(height) ? 100 : height > TALLEST ? TALLEST : height;
    if (interrupt_caught()) {
        pictures->error = bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        return false;
    }
    struct bilanx_error error = take(pictures, svg, pixels, png);
    if (error.status == BILANX_OK)
        return true;
    pictures->error =
        bilanx_error_make(error.status, "the browser '%s': %s", pictures->browser, error.text);
    return false;
}
