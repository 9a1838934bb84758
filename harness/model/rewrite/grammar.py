# SPDX-License-Identifier: MIT
"""Finds the grammar of CUDA C++: tree-sitter and tree-sitter-cuda, which ci/setup installs in build/tools."""

import glob
import os
import pathlib
import site
import sys

ROOT = os.path.abspath(f"{os.path.dirname(os.path.abspath(__file__))}/../../..")


def find_packages(home):
    """The folders where ci/setup has installed Python's packages: for the project, for a folder above this one, or
    for kernelgate."""
    here = pathlib.Path.cwd()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for folder in [*([home] if home else []), here, *here.parents, ROOT, f"{ROOT}/../share/kernelgate"]:  # the last: of an installed kernelgate
        yield from glob.glob(f"{glob.escape(str(folder))}/build/tools/python/lib/{version}/site-packages")


def make_parser(home):
    """The parser; None if the packages cannot be found. home: the project's folder, or None."""
    for folder in (*find_packages(home), None):
        if folder:
            sys.path.append(folder)
        else:
            site.main()  # builds start Python without it (-S)
        try:
            import tree_sitter  # pylint: disable=import-outside-toplevel
            import tree_sitter_cuda  # pylint: disable=import-outside-toplevel
            return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
        except ImportError:
            continue
    return None
