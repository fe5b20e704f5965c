#include "explorer.h"

// The files are embedded by the compiler: a build without the trait reads none of them, and a change of one compiles
// this file again.

#ifdef KITH_EXPLORER

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t index_html[] = {
#embed "Page/index.html"
};
static const uint8_t app_css[] = {
#embed "Page/app.css"
};
static const uint8_t views_css[] = {
#embed "Page/views.css"
};
static const uint8_t api_js[] = {
#embed "Page/api.js"
};
static const uint8_t app_js[] = {
#embed "Page/app.js"
};
static const uint8_t canvas_js[] = {
#embed "Page/canvas.js"
};
static const uint8_t charts_js[] = {
#embed "Page/charts.js"
};
static const uint8_t dom_js[] = {
#embed "Page/dom.js"
};
static const uint8_t drawing_js[] = {
#embed "Page/drawing.js"
};
static const uint8_t force_js[] = {
#embed "Page/force.js"
};
static const uint8_t graph_js[] = {
#embed "Page/graph.js"
};
static const uint8_t list_js[] = {
#embed "Page/list.js"
};
static const uint8_t map_js[] = {
#embed "Page/map.js"
};
static const uint8_t parts_js[] = {
#embed "Page/parts.js"
};
static const uint8_t past_js[] = {
#embed "Page/past.js"
};
static const uint8_t path_js[] = {
#embed "Page/path.js"
};
static const uint8_t payload_js[] = {
#embed "Page/payload.js"
};
static const uint8_t query_js[] = {
#embed "Page/query.js"
};
static const uint8_t person_js[] = {
#embed "Page/person.js"
};
static const uint8_t rows_js[] = {
#embed "Page/rows.js"
};
static const uint8_t save_js[] = {
#embed "Page/save.js"
};
static const uint8_t search_js[] = {
#embed "Page/search.js"
};
static const uint8_t store_js[] = {
#embed "Page/store.js"
};
static const uint8_t tabs_js[] = {
#embed "Page/tabs.js"
};
static const uint8_t time_js[] = {
#embed "Page/time.js"
};

static const kith_page_file files[] = {
  {"index.html", index_html, sizeof index_html},
  {"app.css", app_css, sizeof app_css},
  {"views.css", views_css, sizeof views_css},
  {"api.js", api_js, sizeof api_js},
  {"app.js", app_js, sizeof app_js},
  {"canvas.js", canvas_js, sizeof canvas_js},
  {"charts.js", charts_js, sizeof charts_js},
  {"dom.js", dom_js, sizeof dom_js},
  {"drawing.js", drawing_js, sizeof drawing_js},
  {"force.js", force_js, sizeof force_js},
  {"graph.js", graph_js, sizeof graph_js},
  {"list.js", list_js, sizeof list_js},
  {"map.js", map_js, sizeof map_js},
  {"parts.js", parts_js, sizeof parts_js},
  {"past.js", past_js, sizeof past_js},
  {"path.js", path_js, sizeof path_js},
  {"payload.js", payload_js, sizeof payload_js},
  {"query.js", query_js, sizeof query_js},
  {"person.js", person_js, sizeof person_js},
  {"rows.js", rows_js, sizeof rows_js},
  {"save.js", save_js, sizeof save_js},
  {"search.js", search_js, sizeof search_js},
  {"store.js", store_js, sizeof store_js},
  {"tabs.js", tabs_js, sizeof tabs_js},
  {"time.js", time_js, sizeof time_js},
};

const kith_page_file *kith_page_files(size_t *count) {
  *count = sizeof files / sizeof *files;
  return files;
}

#else

const kith_page_file *kith_page_files(size_t *count) {
  *count = 0;
  return NULL;
}

#endif
