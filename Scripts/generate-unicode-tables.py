#!/usr/bin/env python3
"""Writes Sources/Kith/Text/UnicodeTables.swift. Run by hand for a new Unicode version, never by the build:

    pip install unicodedata2==17.0.0 fonttools==4.61.1 regex==2025.11.3
    python3 Scripts/generate-unicode-tables.py Scripts/unicode/CaseFolding.txt > Sources/Kith/Text/UnicodeTables.swift
    python3 Scripts/generate-unicode-tables.py Scripts/unicode/CaseFolding.txt --digests     # for FoldingTests.swift

Keys depend on these tables. No file holds a key: indexes are built when a store is opened.

Every table is a row of whole numbers written in base 32, least significant digit first, with the characters from
"0" (0x30) on: 0x30...0x4F ends a number, 0x50...0x6F says that more digits follow. A difference that may be negative is
zigzagged: 0, -1, 1, -2 are written 0, 1, 2, 3.
"""

import re
import sys

import regex
import unicodedata2
from fontTools import unicodedata as scripts

VERSION = "17.0.0"
SCALARS = [value for value in range(0x110000) if not 0xD800 <= value < 0xE000]

# SEMANTICS: what people type for what is written, mapped by hand in Normalization.swift.
TYPED = dict(zip(map(ord, "ıøłđæœ"), ["i", "o", "l", "d", "ae", "oe"]))
APOSTROPHES = [0x2B9, 0x2BB, 0x2BC, 0x2BD, 0x2018, 0x2019, 0x201B, 0x2032]
TYPED |= dict.fromkeys(APOSTROPHES, "'")
TYPED |= dict.fromkeys([*range(0x2010, 0x2016), 0x2212], "-")
TYPED |= dict.fromkeys([0x201C, 0x201D, 0x201F], '"')
DOUBLE_PRIME = 0x2033  # compatibly two primes, but typed as one quotation mark
# SEMANTICS: what people leave out, beside default-ignorable scalars and inherited marks: Hebrew points and accents,
# Arabic marks and the tatweel.
LEFT_OUT = [
    (0x591, 0x5BD),
    (0x5BF, 0x5BF),
    (0x5C1, 0x5C2),
    (0x5C4, 0x5C5),
    (0x5C7, 0x5C7),
    (0x610, 0x61A),
    (0x640, 0x640),
    (0x6D6, 0x6DC),
    (0x6DF, 0x6E4),
    (0x6E7, 0x6E8),
    (0x6EA, 0x6ED),
]
VOICING = [0x3099, 0x309A]  # inherited marks that make other letters of kana


def read_folds(path):
    """Scalar -> the scalars of its full, non-Turkic fold (statuses C and F)."""
    folds = {}
    with open(path, encoding="utf-8") as file:
        header = file.readline().strip()
        if header != f"# CaseFolding-{VERSION}.txt":
            sys.exit(f"{path}: wanted CaseFolding-{VERSION}.txt, found {header}")
        for line in file:
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if len(fields) >= 3 and fields[1] in ("C", "F"):
                folds[int(fields[0], 16)] = [int(value, 16) for value in fields[2].split()]
    return folds


def read_decompositions():
    """The single-step canonical and compatibility decompositions; Hangul is arithmetic and not among them."""
    canonical, compatibility = {}, {}
    for value in SCALARS:
        fields = unicodedata2.decomposition(chr(value)).split()
        if not fields:
            continue
        if fields[0].startswith("<"):
            compatibility[value] = [int(field, 16) for field in fields[1:]]
        else:
            canonical[value] = [int(field, 16) for field in fields]
    return canonical, compatibility


def check_assumptions(folds, canonical):
    """The assumptions of Folding.swift: a new version of Unicode that violates one must be noticed."""
    for value, target in folds.items():
        for form in ("NFD", "NFKD"):
            if unicodedata2.normalize(form, chr(value)) != chr(value) or value == 0x345:
                continue
            folded = unicodedata2.normalize(form, "".join(map(chr, target)))
            # U+0345 alone changes its combining class when it is folded; so it is ordered before it is folded.
            assert unicodedata2.combining(chr(value)) == 0, f"{value:X}: a mark that folds"
            assert all(unicodedata2.combining(part) == 0 for part in folded), f"{value:X}: folds to a mark"
    for value in SCALARS:
        # ScalarMap.Entry can say "begins with a mark" only of what is nothing but marks.
        classes = [unicodedata2.combining(part) for part in unicodedata2.normalize("NFKD", chr(value))]
        assert classes[0] == 0 or all(classes), f"{value:X}: a letter after a mark"
    assert all(len(target) <= 2 for target in canonical.values())
    assert not any(value in folds or unicodedata2.normalize("NFC", chr(value)) != chr(value) for value in TYPED)
    assert unicodedata2.normalize("NFKD", chr(DOUBLE_PRIME)) == "\u2032\u2032" and DOUBLE_PRIME not in folds
    # ScalarMap takes a mark of this class for a voicing mark, and composes it with three bytes to three bytes.
    assert [value for value in SCALARS if unicodedata2.combining(chr(value)) == 8] == VOICING
    for value, target in canonical.items():
        if target[-1] in VOICING and unicodedata2.normalize("NFC", chr(value)) == chr(value):
            assert 0x800 <= target[0] < 0x10000 and 0x800 <= value < 0x10000
    assert not any(0xAC00 <= value < 0xD7A4 for value in list(canonical) + list(folds))
    longest = max(len(unicodedata2.normalize("NFKD", chr(value)).encode()) for value in SCALARS)
    assert longest <= 33, f"an expansion of {longest} bytes"  # ScalarMap has six bits, Folding keeps 64 bytes free


def number(value):
    digits = ""
    while value >= 32:
        digits += chr(0x30 + 32 + value % 32)
        value //= 32
    return digits + chr(0x30 + value)


def signed(value):
    return number(2 * value if value >= 0 else -2 * value - 1)


def encode_mappings(mappings):
    """Per row: the key's distance from the key before, the count of targets, and the signed distance of each from the
    target that was last seen in its place."""
    text, last_key, last = "", 0, [0] * 32
    for key in sorted(mappings):
        targets = mappings[key]
        text += number(key - last_key) + number(len(targets))
        for place, target in enumerate(targets):
            text += signed(target - last[place])
            last[place] = target
        last_key = key
    return text


def encode_runs(values):
    """Per run of neighbours of equal value: distance of its start from the end of the run before, count, value."""
    runs = []
    for key in sorted(values):
        if runs and runs[-1][1] == key and runs[-1][2] == values[key]:
            runs[-1][1] += 1
        else:
            runs.append([key, key + 1, values[key]])
    text, end = "", 0
    for first, last, value in runs:
        text += number(first - end) + number(last - first) + number(value)
        end = last
    return text


def emit(name, comment, text):
    print(f"\n  /// {comment}")
    print(f'  static let {name} = #"""')
    for start in range(0, len(text), 116):
        print("    " + text[start : start + 116])
    print('    """#')


def digest(keys):
    """FNV-1a, 64 bits, over the lines."""
    value = 0xCBF29CE484222325
    for key in keys:
        for byte in key.encode() + b"\n":
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


# Blocks where marks are kept, letters compose, fold or expand, and where they differ by dropped scalars.
LIVELY = [
    (0x41, 0x7A),
    (0xC0, 0x24F),
    (0x300, 0x36F),
    (0x300, 0x36F),
    (0x340, 0x34F),
    (0x370, 0x3FF),
    (0x591, 0x5C7),
    (0x5D0, 0x5EA),
    (0x610, 0x670),
    (0x900, 0x97F),
    (0x9A0, 0x9FF),
    (0xB80, 0xBFF),
    (0xDC0, 0xDFF),
    (0xE30, 0xE4E),
    (0xF40, 0xFBC),
    (0x1000, 0x103F),
    (0x1100, 0x11FF),
    (0x1E00, 0x1EFF),
    (0x1F00, 0x1FFF),
    (0x200B, 0x200F),
    (0x3040, 0x30FF),
    (0xAC00, 0xAC60),
    (0xFB00, 0xFB4F),
    (0xFE70, 0xFEFF),
    (0xFF61, 0xFFDC),
    (0x11380, 0x113E2),
    (0x16D40, 0x16D79),
    (0x1D158, 0x1D172),
    (0x2B9, 0x2BD),
    (0x6D6, 0x6ED),
    (0x2010, 0x2033),
    (0x304B, 0x309C),
    (0x3099, 0x309A),
]


def random_texts(count):
    """The texts that FoldingTexts.swift makes from the same seed."""
    state = 17

    def below(limit):  # SplitMix64
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return (mixed ^ mixed >> 31) % limit

    for _ in range(count):
        ranges = [LIVELY[below(len(LIVELY))] for _ in range(1 + below(3))]
        scalars = []
        for _ in range(1 + below(12)):
            first, last = ranges[below(len(ranges))]
            scalars.append(chr(first + below(last - first + 1)))
        yield "".join(scalars)


def print_digests(folds, dropped):
    """Digests of the keys by definition, for the test that compares them with what the engine makes."""
    fold = {value: "".join(map(chr, target)) for value, target in folds.items()}
    after = dict.fromkeys(dropped) | TYPED
    normalize = unicodedata2.normalize

    def loose(text):
        parts = text.split(chr(DOUBLE_PRIME))
        key = '"'.join(normalize("NFKD", normalize("NFKD", part).translate(fold)).translate(after) for part in parts)
        key = re.sub(".[\u3099\u309a]", lambda pair: normalize("NFC", pair[0]), key, flags=re.DOTALL)
        return re.sub("[\u3099\u309a]", "", key)

    forms = {
        "loose": loose,
        "strict": lambda text: normalize("NFC", normalize("NFD", text).translate(fold)),
        "nfc": lambda text: normalize("NFC", text),
    }
    for name, form in forms.items():
        print(f"every scalar, {name}: 0x{digest(form(chr(value)) for value in SCALARS):016X}")
    for name, form in forms.items():
        print(f"20,000 random texts, {name}: 0x{digest(map(form, random_texts(20_000))):016X}")


HEADER = f"""\
// Unicode {VERSION}, written by Scripts/generate-unicode-tables.py, which documents the encoding: do not edit.
// © 2025 Unicode®, Inc. Unicode and the Unicode Logo are registered trademarks of Unicode, Inc. in the U.S. and
// other countries. For terms of use and license, see https://www.unicode.org/terms_of_use.html
// swift-format-ignore-file

/// The parts of the Unicode Character Database that keys are made from, packed as text (UnicodeData unpacks them)."""


def main():
    assert unicodedata2.unidata_version == VERSION, unicodedata2.unidata_version
    assert f"Scripts-{VERSION}.txt" in open(scripts.Scripts.__file__, encoding="utf-8").read()
    assert re.fullmatch(r"2025\.11\.\d+", regex.__version__), regex.__version__  # its tables are those of 17.0
    folds = read_folds(sys.argv[1])
    canonical, compatibility = read_decompositions()
    check_assumptions(folds, canonical)
    classes = {value: unicodedata2.combining(chr(value)) for value in SCALARS}
    classes = {value: combining for value, combining in classes.items() if combining}
    excluded = {value: 1 for value in canonical if unicodedata2.normalize("NFC", chr(value)) != chr(value)}
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    dropped = {
        value: 1
        for value in SCALARS
        if (ignorable.match(chr(value)) or scripts.script(chr(value)) == "Zinh")
        and value not in VOICING
        or any(first <= value <= last for first, last in LEFT_OUT)
    }
    if "--digests" in sys.argv[2:]:
        print_digests(folds, dropped)
        return
    print(HEADER)
    print("enum UnicodeTables {")
    print(f'  static let version = "{VERSION}"')
    emit("canonicalDecompositions", "Mappings, single step, without Hangul.", encode_mappings(canonical))
    emit("compatibilityDecompositions", "Mappings, single step.", encode_mappings(compatibility))
    emit("caseFolds", "Mappings: CaseFolding.txt, statuses C and F.", encode_mappings(folds))
    emit("combiningClasses", "Runs of equal, non-zero canonical combining class.", encode_runs(classes))
    emit(
        "compositionExclusions",
        "Runs: scalars with a canonical decomposition that are never composed again.",
        encode_runs(excluded),
    )
    emit("dropped", "Runs: scalars that a loose key leaves out (SEMANTICS.md).", encode_runs(dropped))
    print("}")


main()
