"""How the documentation is built: `make docs`."""

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
