"""Puts the C library beside the extension module, so that a wheel needs nothing else.

The library is taken from KITH_PREFIX (where Scripts/build-libkith installed it), or built from this source tree.
"""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def prefix() -> Path:
    """Where kith.h and libkith.so.1 are."""
    if given := os.environ.get("KITH_PREFIX"):
        return Path(given).resolve()
    built = ROOT / ".build" / "libkith" / "prefix"
    subprocess.run([ROOT / "Scripts" / "build-libkith", built, "--shared-only"], check=True)
    return built


found = prefix()
os.environ["KITH_PREFIX"] = str(found)
shutil.copyfile((found / "lib" / "libkith.so.1").resolve(), HERE / "src" / "kith" / "libkith.so.1")

# The module is built for the limited API of CPython 3.9, by cffi.
setup(
    cffi_modules=["build_kith.py:builder"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}} if platform.python_implementation() == "CPython" else {},
)
