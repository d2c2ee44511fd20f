"""Rules in Sphinx: `extensions = ["kvrules.sphinx"]` gives the domain `kv`.

The program `kvrules` reads the rule files; the extension asks it once for each combination of files, and lays
out the answer.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from kvrules.sphinx import answers
from kvrules.sphinx.directives import RulesDirective, RuleSetDirective, SingleRuleDirective
from kvrules.sphinx.domain import RuleDomain
from kvrules.sphinx.extra_specs import ExtraSpecsDirective
from kvrules.sphinx.resources import DefinitionDirective, DefinitionFieldDirective, PolicyDirective

_STATIC = Path(__file__).parent / "static"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the domain, its settings and its style sheet."""
    app.add_config_value("kvrules_executable", None, "env", frozenset({str, type(None)}))
    app.add_config_value("kvrules_paths", [], "env", frozenset({list, tuple}))
    app.add_config_value("kvrules_arguments", [], "env", frozenset({list, tuple}))
    app.add_config_value("kvrules_templates", None, "env", frozenset({str, type(None)}))
    app.add_config_value("kvrules_definitions", [], "env", frozenset({list, tuple}))
    app.add_domain(RuleDomain)
    app.add_directive_to_domain("kv", "rules", RulesDirective)
    app.add_directive_to_domain("kv", "ruleset", RuleSetDirective)
    app.add_directive_to_domain("kv", "rule", SingleRuleDirective)
    app.add_directive_to_domain("kv", "definition", DefinitionDirective)
    app.add_directive_to_domain("kv", "definition-field", DefinitionFieldDirective)
    app.add_directive_to_domain("kv", "policy", PolicyDirective)
    # As documentation of OpenStack has it, and under our own name where another extension has that one.
    app.add_directive("extra-specs", ExtraSpecsDirective)
    app.add_directive_to_domain("kv", "extra-specs", ExtraSpecsDirective)
    app.connect("builder-inited", _add_styles)
    app.connect("builder-inited", answers.begin)
    app.connect("env-get-outdated", answers.outdated)
    app.add_css_file("kvrules.css")
    return {"version": _version(), "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}


def _add_styles(app: Sphinx) -> None:
    """Have our style sheet copied with the project's own static files."""
    if str(_STATIC) not in app.config.html_static_path:
        app.config.html_static_path.append(str(_STATIC))


def _version() -> str:
    try:
        return version("kvrules")
    except PackageNotFoundError:
        return "unknown"
