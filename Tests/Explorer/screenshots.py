#!/usr/bin/env python3
"""Makes the pictures of the explorer in docs/images: Tests/Explorer/screenshots.py KITH STORE [--page DIRECTORY]

KITH is a command built with the package trait Explorer, STORE a store of at least 10,000 users, as
`kith seed` makes it.
Needs what Tests/Explorer/browser.py needs. The pictures are WebP of at most 150 kB. Install the font Inter
(Debian: fonts-inter) for the same pictures as those that are committed.
"""

import argparse
import base64
import pathlib

from chromium import Browser, Explorer

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGEST = 150_000
SETTLED = "!document.querySelector('.ghost-row, .progress, canvas[data-state=moving]')"
# name, width, height, colour scheme, address, what shows that it is complete
PICTURES = [
    ("explorer-search", 1280, 800, "light", "#/?q=an", ".preview canvas[data-state=settled]"),
    ("explorer-person", 1280, 800, "dark", "#/user/{most}", ".aside-map canvas[data-state=settled]"),
    ("explorer-map", 1280, 800, "light", "#/map/{some}?hops=2", "canvas[data-state=settled]"),
    ("explorer-graph", 1280, 1120, "dark", "#/graph", ".charts:has(.area):has(.cell):has(.bars):has(.tile-part)"),
    ("explorer-phone", 400, 800, "light", "#/user/{some}", ".post-row"),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kith")
    parser.add_argument("store")
    parser.add_argument("--page")
    run = parser.parse_args()
    images = ROOT / "docs/images"
    images.mkdir(parents=True, exist_ok=True)
    explorer = Explorer(run.kith, run.store, run.page)
    browser = Browser(explorer)
    popular = explorer.ask(op="users", order="popular", limit=1000)["users"]
    names = {"most": max(popular[:300], key=lambda user: user["postCount"])["id"], "some": popular[-1]["id"]}
    for name, width, height, scheme, hash, ready in PICTURES:
        browser.shape(width, scheme, calm=True)
        device = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1.5 if width < 500 else 1,
            "mobile": width < 500,
        }
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", device)
        browser.open(hash.format(**names), ready)
        browser.wait(SETTLED, f"{name} settled")
        browser.run("document.activeElement.blur()")
        for quality in (92, 84, 74, 60):
            options = {"format": "webp", "quality": quality}
            data = base64.b64decode(browser.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"])
            if len(data) <= LARGEST:
                break
        (images / f"{name}.webp").write_bytes(data)
        print(f"docs/images/{name}.webp: {len(data):,} bytes")
    browser.driver.quit()
    explorer.close()


if __name__ == "__main__":
    main()
