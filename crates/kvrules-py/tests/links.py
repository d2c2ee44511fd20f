"""Says which links, images and anchors of built pages lead nowhere: `python -m tests.links DIRECTORY…`."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """One page: what can be linked to, and what it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.links: list[tuple[int, str]] = []
        self.base = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the anchors and links of an element."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.append(value)
            elif tag == "base" and name == "href":
                self.base = value
            elif name in ("href", "src"):
                self.links.append((self.getpos()[0], value))


def problems(root: Path) -> list[str]:
    """List the links that lead nowhere and the anchors that stand twice, page by page."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.html"))}
    if not pages:
        return [f"{root}: there are no pages"]
    anchors = {path.resolve(): set(page.anchors) for path, page in pages.items()}
    found = []
    for path, page in pages.items():
        twice = sorted(anchor for anchor, count in Counter(page.anchors).items() if count > 1)
        found += [f"{path}: the anchor `{anchor}` stands twice" for anchor in twice]
        for line, link in page.links:
            reason = _problem(root, path, page, link, anchors)
            if reason:
                found.append(f"{path}:{line}: `{link}`: {reason}")
    return found


@cache
def _target(start: Path, path: str) -> Path | None:
    """Return the file that a path leads to, if there is one."""
    target = (start / unquote(path).lstrip("/")).resolve()
    target = target / "index.html" if target.is_dir() else target
    return target if target.exists() else None


def _problem(root: Path, path: Path, page: Page, link: str, pages: dict[Path, set[str]]) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    start = root if parts.path.startswith("/") else path.parent / page.base.lstrip("/")
    target = _target(start, parts.path) if parts.path else path.resolve()
    if target is None:
        return "there is no such file"
    anchors = pages.get(target)
    fragment = unquote(parts.fragment)
    if fragment and anchors is not None and fragment not in anchors:
        return "there is no such anchor"
    return None


def main() -> int:
    """Check the directories that are named."""
    found = [problem for name in sys.argv[1:] for problem in problems(Path(name))]
    print(*found, sep="\n", end="\n" if found else "")
    pages = sum(1 for name in sys.argv[1:] for _ in Path(name).rglob("*.html"))
    print(f"{pages} pages, {len(found)} problems with links")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
