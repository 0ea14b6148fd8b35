"""Measure pages in a headless Chromium: bytes, elements, height and first screen, overflow at 1440 and 390 px.

Boxes that scroll may hold what is wider, and must show that they do. Pictures may not shrink until nobody can read
them. For all this pictures are loaded, and what is folded is opened.

By hand: ``python tests/shared/page_sizes.py results/full/report`` prints the pages that break a limit.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
#: No page of a report may be larger.
MOST_BYTES, MOST_PIXELS, MOST_ELEMENTS = 1_000_000, 20_000, 10_000
#: The table of papers ends on the first screen of 1440 x 900.
FIRST_SCREEN = 900
#: No picture is drawn less wide, unless it is made so: words of 8 points are then too small to read.
LEAST_WIDTH = 600

HARNESS = """<!doctype html><meta charset="utf-8"><body><script>
const names = NAMES, found = {};
function boxed(element, view) {
  for (let box = element.parentElement; box && box.tagName != "BODY"; box = box.parentElement)
    if (["auto", "scroll"].includes(view.getComputedStyle(box).overflowX)) return true;
  return Boolean(element.closest(".skip, .sticky, svg"));
}
function measure(frame, width) {
  frame.style.width = width + "px";
  const page = frame.contentDocument;
  const wide = Array.from(page.querySelectorAll("body *")).filter((element) =>
    element.getBoundingClientRect().right > width + 1 && !boxed(element, frame.contentWindow));
  const said = wide.slice(0, 3).map((e) => e.tagName + " " + e.textContent.slice(0, 40));
  // A long word leaves its element, whose box stays narrow.
  if (page.documentElement.scrollWidth > width + 1) said.push("page " + page.documentElement.scrollWidth);
  return [page.documentElement.scrollHeight, said];
}
function signed(box, view) {
  const style = (element, part) => view.getComputedStyle(element, part);
  if (box.tagName != "FIGURE") return style(box).backgroundAttachment.includes("local");
  const caption = box.querySelector("figcaption");
  return (caption ? style(caption, "::before") : style(box, "::after")).content.includes("sideways");
}
function unclear(frame) {
  const page = frame.contentDocument;
  const small = Array.from(page.images).filter((picture) =>
    picture.getBoundingClientRect().width < Math.min(LEAST, picture.naturalWidth) - 1);
  const hidden = Array.from(page.querySelectorAll(".scroll, figure")).filter((box) =>
    box.scrollWidth > box.clientWidth + 1 && !signed(box, frame.contentWindow));
  const said = (found) => found.slice(0, 3).map((e) => e.tagName + " " + (e.alt || e.textContent).trim().slice(0, 40));
  return [said(small), said(hidden)];
}
async function run() {
  for (const name of names) {
    const frame = document.createElement("iframe");
    frame.style.cssText = "width:1440px;height:900px;border:0";
    frame.src = "file://FOLDER/" + encodeURIComponent(name);
    document.body.append(frame);
    await new Promise((done) => { frame.onload = done; });
    const [height, wide] = measure(frame, 1440);
    const papers = frame.contentDocument.getElementById("papers");
    const first = papers ? Math.ceil(papers.getBoundingClientRect().bottom) : 0;
    const elements = frame.contentDocument.getElementsByTagName("*").length;
    const pictures = Array.from(frame.contentDocument.images);
    pictures.forEach((picture) => { picture.loading = "eager"; });
    await Promise.all(pictures.map((picture) => picture.complete ||
      new Promise((done) => { picture.onload = picture.onerror = done; })));
    frame.contentDocument.querySelectorAll("details").forEach((folded) => { folded.open = true; });
    wide.push(...measure(frame, 1440)[1], ...measure(frame, 390)[1]);
    const [small, hidden] = unclear(frame);
    found[name] = { height, elements, first, wide, small, hidden };
    frame.remove();
  }
  const out = document.createElement("pre");
  out.id = "outcome";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
}
run();
</script></body>"""


def measure_pages(folder: Path) -> dict[str, dict]:
    """Measure every page of a folder.

    Name -> bytes, elements, height, what leaves the page sideways, and on a phone small pictures and hidden parts.
    """
    pages = sorted(folder.resolve().glob("*.html"))
    with tempfile.TemporaryDirectory() as scratch:
        harness = Path(scratch) / "harness.html"
        text = HARNESS.replace("NAMES", json.dumps([page.name for page in pages]))
        text = text.replace("LEAST", str(LEAST_WIDTH)).replace("FOLDER", str(folder.resolve()))
        harness.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [
                *(
                    BROWSER,
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--allow-file-access-from-files",
                ),
                *(f"--user-data-dir={scratch}/profile", "--window-size=1500,1000", "--timeout=550000"),
                *("--virtual-time-budget=500000", "--dump-dom", f"file://{harness}"),
            ],
            capture_output=True,
            text=True,
            timeout=600,
        )
    found = re.search(r'<pre id="outcome">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    sizes = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    for page in pages:
        sizes[page.name]["bytes"] = page.stat().st_size
    return sizes


def too_large(sizes: dict[str, dict]) -> list[str]:
    """Say which pages break a limit, a line for each."""
    faults = {
        "wide": "wider than the window",
        "small": "too small on a phone",
        "hidden": "scrolls without a sign",
    }
    limits = {"bytes": MOST_BYTES, "height": MOST_PIXELS, "elements": MOST_ELEMENTS, "first": FIRST_SCREEN}
    return [
        f"{name}: {key} {size[key]:,}; expected at most {most:,}"
        for name, size in sizes.items()
        for key, most in limits.items()
        if size[key] > most
    ] + [
        f"{name}: {said}: {size[fault]}"
        for name, size in sizes.items()
        for fault, said in faults.items()
        if size[fault]
    ]


if __name__ == "__main__":
    measured = measure_pages(Path(sys.argv[1]))
    for key in ("bytes", "height", "elements"):
        largest = sorted(measured, key=lambda name: -measured[name][key])[:5]
        print(key, ", ".join(f"{name} {measured[name][key]:,}" for name in largest))
    print("\n".join(too_large(measured)) or f"{len(measured)} pages within the limits")
