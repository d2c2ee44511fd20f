"""An example of rules in Sphinx; `cargo xtask docs` builds it."""

project = "Example templates"
author = "kvrules"
extensions = ["kvrules.sphinx", "sphinx.ext.intersphinx"]

# Seen from this directory, as on the command line.
kvrules_paths = ["../linux-server.yaml", "../windows-desktop.json", "../legacy-201901.yaml"]
kvrules_definitions = ["../extra-specs.yaml"]
# No network: an inventory of another project would be named here.
intersphinx_mapping: dict[str, tuple[str, str | None]] = {}

html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "260px"}
