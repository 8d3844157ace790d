# Builds the programs of bench/ and sets $programs to their folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/build build-bench -Dbench=true -Dbuildtype=release >&2
programs=build-bench/bench
