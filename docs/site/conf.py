"""Settings of Sphinx for the site of the documentation (build.py)."""

project = "gitmem"
html_title = "gitmem"
root_doc = "index"
extensions = ["myst_parser"]
# Every heading is a target, named as forges name it: a link to one that does not exist is a warning, and so an error.
myst_heading_anchors = 4
# An option such as --json must not become a dash.
smartquotes = False

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
html_use_index = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
