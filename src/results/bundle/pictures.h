// pictures: PNG files of graphs, taken by a browser without a window.
//
// The browser is Chromium or a similar one, looked up on the PATH; BILANX_BROWSER names another, or
// none if it is empty. It starts with an empty profile. A browser that fails or hangs is not
// started again.
#ifndef BUNDLE_PICTURES_H
#define BUNDLE_PICTURES_H

#include <stdbool.h>

#include "base/temporary.h"
#include "base/text.h"
#include "bilanx/error.h"

struct pictures {
    char *browser;
    struct temporary folder;
    struct bilanx_error error;  // why no picture could be taken
};
void pictures_done(struct pictures *pictures);
SCOPE_VALUE(pictures, pictures_done)

// Returns an error if there is no browser.
struct bilanx_error pictures_open(struct pictures *pictures);

// Adds a PNG of an SVG that is 1200 pixels wide. Returns false, and sets the error, if that failed.
bool pictures_take(struct pictures *pictures, const struct text *svg, double height,
                   struct text *png);

#endif
