# SPDX-License-Identifier: Apache-2.0
# What Sphinx is told: pages in Markdown, headers by Doxygen and Breathe, the Python package by AutoAPI. site.py sets the
# two variables of the environment.
import os

project = "posenc"
project_copyright = "the authors of posenc, Apache-2.0"
root_doc = "README"
extensions = ["breathe", "myst_parser", "autoapi.extension", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "posenc"
html_show_sphinx = False

myst_heading_anchors = 4
breathe_projects = {"posenc": os.environ["POSENC_DOXYGEN"]}
breathe_default_project = "posenc"
breathe_default_members = ("members",)
autoapi_dirs = [os.environ["POSENC_PACKAGE"]]
autoapi_root = "python"
autoapi_options = ["members", "undoc-members", "imported-members"]
autoapi_ignore = ["*/_core.pyi"]
autoapi_add_toctree_entry = False
autoapi_keep_files = False

# Every header opens namespace posenc; C++ of an excerpt need not be a whole program.
suppress_warnings = ["duplicate_declaration.cpp", "misc.highlighting_failure", "autoapi.python_import_resolution", "myst.header",
                     "ref.python"]
napoleon_use_ivar = True
default_role = "code"  # what stands in backticks in documentation of Python is code


def setup(app):
    app.connect("autodoc-process-docstring", as_it_stands)


def as_it_stands(app, what, name, obj, options, lines):
    """Documentation of Python is plain text: a star is a star."""
    lines[:] = [line.replace("*", "\\*") for line in lines]
