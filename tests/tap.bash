# TAP for bash scripts: source it, call `check NAME COMMAND...` for each case, and end with `plan`.
tap_number=0
tap_failed=0

# check NAME COMMAND...: one case; shows the command's output if it fails, and says if it took seconds.
check() {
    local name=$1 output begun=${EPOCHREALTIME/[.,]/}
    shift
    tap_number=$((tap_number + 1))
    if output=$("$@" 2>&1); then
        echo "ok $tap_number - $name"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_number - $name"
        sed 's/^/# /' <<<"$output"
    fi
    local seconds=$(((${EPOCHREALTIME/[.,]/} - begun) / 1000000))
    [ $seconds = 0 ] || echo "# that took $seconds s"
}

plan() {
    echo "1..$tap_number"
    [ $tap_failed = 0 ]
}

# soon COMMAND...: waits up to a minute until the command succeeds.
soon() {
    for _ in $(seq 1200); do
        "$@" && return 0
        sleep 0.05
    done
    echo "never: $*"
    false
}

# gone PROCESS: it has ended, though in a container it may not be reaped.
gone() {
    local state
    state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    [[ -z $state || $state == Z* ]]
}
