#!/usr/bin/env python3
"""Prints the text of a .docx, .pptx or .xlsx file. usage: office_text.py FILE"""

import re
import sys
import xml.etree.ElementTree as ET
import zipfile

LARGEST_PART = 50_000_000


def part(archive, name):
    info = archive.getinfo(name)
    if info.file_size > LARGEST_PART:
        sys.exit(f"{name} is too large")
    text = archive.read(name)
    # Office files need no document type; entities in one could grow without end.
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        sys.exit(f"{name} has a document type and is not read")
    return ET.fromstring(text)


def local(element):
    return element.tag.rsplit("}", 1)[-1]


def paragraphs(root):
    for paragraph in root.iter():
        if local(paragraph) != "p":
            continue
        pieces = []
        for node in paragraph.iter():
            if local(node) == "t":
                pieces.append(node.text or "")
            elif local(node) in ("tab", "br"):
                pieces.append("\t" if local(node) == "tab" else "\n")
        yield "".join(pieces)


def numbered(archive, pattern):
    found = [(int(match.group(1)), name) for name in archive.namelist() if (match := re.fullmatch(pattern, name))]
    return sorted(found)


def sheets(archive):
    shared = []
    if "xl/sharedStrings.xml" in archive.namelist():
        for item in part(archive, "xl/sharedStrings.xml"):
            shared.append("".join(node.text or "" for node in item.iter() if local(node) == "t"))
    for number, name in numbered(archive, r"xl/worksheets/sheet(\d+)\.xml"):
        print(f"## Sheet {number}")
        for row in part(archive, name).iter():
            if local(row) != "row":
                continue
            cells = []
            for cell in row:
                value = "".join(node.text or "" for node in cell.iter() if local(node) in ("v", "t"))
                cells.append(shared[int(value)] if cell.get("t") == "s" and value else value)
            print("\t".join(cells))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        archive = zipfile.ZipFile(sys.argv[1])
    except (OSError, zipfile.BadZipFile) as error:
        sys.exit(f"{sys.argv[1]} cannot be read: {error}")
    names = archive.namelist()
    if "word/document.xml" in names:
        print("\n".join(paragraphs(part(archive, "word/document.xml"))))
    elif "xl/workbook.xml" in names:
        sheets(archive)
    elif "ppt/presentation.xml" in names:
        for number, name in numbered(archive, r"ppt/slides/slide(\d+)\.xml"):
            print(f"## Slide {number}")
            print("\n".join(line for line in paragraphs(part(archive, name)) if line.strip()))
    else:
        sys.exit(f"{sys.argv[1]} is neither .docx, .xlsx nor .pptx")


main()
