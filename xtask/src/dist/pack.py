"""Packs a folder into an archive that is the same whenever its files are, or prints checksums.

usage: pack.py archive FOLDER ARCHIVE | pack.py sums FILE...
"""

import gzip
import hashlib
import pathlib
import sys
import tarfile
import zipfile

# The first moment that both formats can say, so that two builds give the same bytes.
MOMENT = (1980, 1, 1, 0, 0, 0)
SECONDS = 315532800


def files(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def mode(path: pathlib.Path, folder: pathlib.Path) -> int:
    return 0o755 if path.parent == folder and path.stem in ("kvrules", "mdbook-kvrules") else 0o644


def tar(folder: pathlib.Path, archive: pathlib.Path) -> None:
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=SECONDS) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as out:
            for path in files(folder):
                entry = tarfile.TarInfo(path.relative_to(folder.parent).as_posix())
                entry.size, entry.mtime, entry.mode = path.stat().st_size, SECONDS, mode(path, folder)
                with open(path, "rb") as text:
                    out.addfile(entry, text)


def zip_(folder: pathlib.Path, archive: pathlib.Path) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path in files(folder):
            entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), MOMENT)
            entry.external_attr = (0o100000 | mode(path, folder)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, path.read_bytes())


def main(command: str, *names: str) -> None:
    if command == "archive":
        folder, archive = map(pathlib.Path, names)
        (zip_ if archive.suffix == ".zip" else tar)(folder, archive)
    elif command == "sums":
        for path in map(pathlib.Path, names):
            print(hashlib.sha256(path.read_bytes()).hexdigest(), "", path.name)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
