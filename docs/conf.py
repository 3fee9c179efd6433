"""How the documentation is built: `make docs`."""

import re
from pathlib import Path

project = "Anadrome"
author = "The Anadrome authors"
copyright = "The Anadrome authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Anadrome"
exclude_patterns = ["_build"]
autodoc_typehints = "none"


def write_flags(app):
    """Write `flags.md`: every flag of every command, as the command has them."""
    from anadrome.cli.commands import make_app
    from anadrome.models import models_of
    from anadrome.options import options_of
    from anadrome.tasks import tasks

    text = make_app([]).generate_docs(output_format="markdown", recursive=True)
    text = text[text.index("## anadrome") :]
    # Every heading has an anchor of its own here, so links are not needed.
    text = re.sub(r"\[(`[^`]+`)\]\(#[^)]*\)", r"\1", text)
    parts = [
        "# Every flag",
        "Written by the command itself. The flags of `anadrome train` are those of "
        "the task's default model; other models have their own, which are at the end "
        "and in `anadrome train TASK --model NAME --help`.",
        text.strip(),
        "## Options of models",
    ]
    for task in tasks().values():
        for model in models_of(task.name).values():
            cited = f" ({model.cites})" if model.cites else ""
            parts.append(
                f"### {task.name} --model {model.name}\n\n{model.summary}{cited}"
            )
            parts.append(
                "\n".join(
                    f"* `--{option.name.replace('_', '-')}`: {option.help}. "
                    f"[default: {option.default}]"
                    for option in options_of(model.Config)
                )
            )
    path = Path(app.srcdir) / "flags.md"
    content = "\n\n".join(parts) + "\n"
    if not path.exists() or path.read_text("utf-8") != content:
        path.write_text(content, "utf-8")


def setup(app):
    """Let Sphinx write the reference of flags before it reads the documents."""
    app.connect("builder-inited", write_flags)
