#!/bin/sh
# Makes the environment that everything else runs in: `sh scripts/install.sh .venv`.
#
# Needs a Python that Heliograph runs on, and nothing else: uv is installed into the environment, from a lock like all
# the rest. PYTHON names an interpreter to use instead of the newest one found. Safe to repeat.
set -eu

venv=$1
python=$venv/bin/python
cd "$(dirname "$0")/.."

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

# Whether a command runs, and is a Python that Heliograph runs on. That a command of the right name exists is not
# enough: version managers put one on the path for versions that are not chosen.
suits() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1
}

# Whether it can make environments with pip in them. Debian packages that apart.
makes_environments() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

find_python() {
    incomplete=
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
        suits "$candidate" || continue
        if makes_environments "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
        incomplete=$candidate
    done
    if [ -n "$incomplete" ]; then
        fail "$incomplete has no venv and ensurepip modules, which make environments: install them (on Debian and \
Ubuntu: apt install $("$incomplete" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')) and try again."
    elif [ -n "${PYTHON:-}" ]; then
        fail "PYTHON is '$PYTHON', which is not a Python 3.11, 3.12 or 3.13 that runs: name one, or unset it."
    fi
    fail "No Python 3.11, 3.12 or 3.13 was found: install one, or name it, as in \`make install PYTHON=/path/to/python3.12\`."
}

if ! suits "$python"; then
    found=$(find_python)
    echo "Making $venv with $("$found" --version)"
    "$found" -m venv --clear "$venv"
fi

if ! "$python" -m uv --version >/dev/null 2>&1; then
    "$python" -m pip install --disable-pip-version-check --require-hashes --requirement requirements-uv.lock
fi

# Synchronising leaves pip and uv alone and removes everything else that the lock does not name, the project included.
"$python" -m uv pip sync --python "$python" --require-hashes requirements-dev.lock
"$python" -m uv pip install --python "$python" --no-deps --no-build-isolation --editable .
