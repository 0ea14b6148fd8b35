"""Run axe-core on pages in the system's Chromium: light, dark and narrow, with all that is folded opened.

By hand: ``python tests/shared/axe_pages.py results/full/report`` prints each violation with page and element.
"""

import sys
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from page_sizes import BROWSER

#: Name -> width in pixels and colours.
MODES = {"light": (1440, "light"), "dark": (1440, "dark"), "narrow": (390, "light")}

#: What is folded away, or opens on demand, is checked too.
UNFOLD = """() => {
  document.querySelectorAll("details").forEach((found) => { found.open = true; });
  const run = document.querySelector("tr[data-group] .cell-links a");
  if (run) run.click();
}"""


def violations(folder: Path) -> list[str]:
    """List what axe finds on the pages of a folder, a line for each element: page, mode, rule, element, advice."""
    found = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        for mode, (width, colours) in MODES.items():
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=colours)
            for path in sorted(folder.resolve().glob("*.html")):
                page.goto(path.as_uri())
                page.evaluate(UNFOLD)
                for violation in Axe().run(page).response["violations"]:
                    found += [
                        f"{path.name} ({mode}): {violation['id']}: {node['target'][0]}: {node['html'][:100]}"
                        f" {_advice(node)}"
                        for node in violation["nodes"]
                    ]
            page.close()
        browser.close()
    return found


def _advice(node) -> str:
    return "; ".join(check["message"] for kind in ("any", "all", "none") for check in node[kind])


if __name__ == "__main__":
    lines = violations(Path(sys.argv[1]))
    print("\n".join(lines) or "axe finds nothing")
    sys.exit(bool(lines))
