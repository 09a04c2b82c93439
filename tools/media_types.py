"""Writes the built-in media types as lines of extension and type: media_types.py MIME_C OUTPUT"""

import re
import sys
from pathlib import Path

rows = re.findall(r'\{ "([a-z0-9]+)", "([^"]+)" \}', Path(sys.argv[1]).read_text())
Path(sys.argv[2]).write_text("".join(f"{extension} {kind}\n" for extension, kind in rows))
