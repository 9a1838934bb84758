"""Reads what `ctest --output-junit FILE` wrote, for kernelgate results. usage: ctest_report.py FILE; prints a JSON array of
{"name", "status", "message"}, one for each test. exit: 2 where there is no such report, of which the caller tells"""

import json
import sys
import xml.etree.ElementTree as ElementTree


def read_test(element):
    said = [part.get("message", "") for part in element if part.tag in ("failure", "skipped")]
    return {"name": element.get("name", ""), "status": element.get("status", ""), "message": said[-1] if said else ""}


def main(path):
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return 2
    print(json.dumps([read_test(element) for element in root if element.tag == "testcase"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
