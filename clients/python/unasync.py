"""Writes the synchronous client (`src/petstore/_sync`) from the asynchronous one; with --check it only compares them."""

import re
import sys
from pathlib import Path

SUBSTITUTIONS = [
    (r"(?m)^import asyncio\n", ""),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\bAsyncIterable, ", ""),
    (r" \| AsyncIterable\[\w+\]", ""),
    (r"\bmany\.each_of\((\w+)\)", r"\1"),
    (r"\bAwaitable, ", ""),
    (r"\bAwaitable\[(\w+)\]", r"\1"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\basync (?=def|for|with)", ""),
    (r"\bawait ", ""),
    (r"__a(?=enter__|exit__|iter__)", "__"),
    (r"\ba(?=close\b|iter_bytes\b)", ""),
    (r"\bThe asynchronous client\. .*?\"\"\"", 'The synchronous client. Written by `unasync.py`."""'),
]

package = Path(__file__).parent / "src" / "petstore"
sources = sorted((package / "_async").glob("*.py"))
outdated = []
for source in sources:
    text = source.read_text(encoding="utf-8")
    for pattern, replacement in SUBSTITUTIONS:
        text = re.sub(pattern, replacement, text)
    target = package / "_sync" / source.name
    if target.exists() and target.read_text(encoding="utf-8") == text:
        continue
    outdated.append(target.name)
    if "--check" not in sys.argv:
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")

for target in set((package / "_sync").glob("*.py")) - {package / "_sync" / source.name for source in sources}:
    outdated.append(target.name)
    if "--check" not in sys.argv:
        target.unlink()

if outdated and "--check" in sys.argv:
    sys.exit(f"Not as the asynchronous client is: {', '.join(outdated)}. Run python3 unasync.py.")
