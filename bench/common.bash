# Builds the programs of bench/ and leaves their folder in $programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools/build build-bench -Dbench=true -Dbuildtype=release >&2
programs=build-bench/bench
