#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 or Ubuntu 24.04 to a running cucopy.
#
#   sh cmake/bootstrap.sh demo    installs what is missing, builds, and runs cucopy-doctor
#   sh cmake/bootstrap.sh test    the same, and runs all tests
#   sh cmake/bootstrap.sh tools   only installs: what `test` and .ci/run need
#
# Installs with apt-get when it may (root, or sudo without a password); otherwise says what to install, and stops.
# The headers of an installed CUDA Toolkit are used; where there is none, they are fetched into build/cuda.
# shellcheck disable=SC2317 # functions are passed by name
set -eu
cd "$(dirname "$0")/.."

say() {
    printf 'bootstrap: %s\n' "$*"
}

stop() {
    printf 'bootstrap: %s\n' "$*" >&2
    exit 1
}

missing=

# want <package> <command>...: the package is missing unless the command succeeds.
want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

includes() {
    printf '#include <%s>\n' "$1" | cc -E -
}

imports() {
    python3 -c "import $1"
}

install_missing() {
    [ -n "$missing" ] || return 0
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root='sudo -n'
    fi
    # shellcheck disable=SC2086 # as_root is words, and so is missing
    if ! command -v apt-get >/dev/null || ! $as_root true 2>/dev/null; then
        stop "something is missing; start again after: sudo apt-get install --no-install-recommends$missing"
    fi
    say "installing with apt-get:$missing"
    mkdir -p build
    # shellcheck disable=SC2086
    if ! {
        $as_root apt-get update &&
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
    } >build/apt.log 2>&1; then
        tail -n 20 build/apt.log >&2
        stop "apt-get failed; build/apt.log has all it said"
    fi
    missing=
}

find_headers() {
    cmake "-DCUCOPY_CUDA_FALLBACK=$PWD/build/cuda" "$@" -P cmake/CudaHeaders.cmake 2>&1
}

fetch_headers() {
    want python3 command -v python3
    want python3-pip imports pip
    install_missing
    say "no headers of CUDA 11.8 or later here; fetching NVIDIA's wheel of them, checked against cmake/cuda-headers.txt"
    rm -rf build/cuda build/cuda.part
    python3 -m pip --disable-pip-version-check download --quiet --no-deps --only-binary=:all: --require-hashes \
        --requirement cmake/cuda-headers.txt --dest build/cuda.part
    python3 -m zipfile -e build/cuda.part/*.whl build/cuda.part
    mv build/cuda.part build/cuda
}

goal=${1-}
case $goal in
demo | test | tools) ;;
*) stop "usage: sh cmake/bootstrap.sh demo|test|tools" ;;
esac

want cmake command -v cmake
want ninja-build command -v ninja
want gcc command -v cc
want libc6-dev includes stdio.h
want libcmocka-dev includes cmocka.h
if [ "$goal" != demo ]; then
    want g++ command -v c++
    want pkg-config command -v pkg-config
    want valgrind command -v valgrind
    want python3 command -v python3
    want python3 command -v python3
    want python3-jsonschema imports jsonschema
fi
if [ "$goal" = tools ]; then
    want clang command -v clang
    want clang-format command -v clang-format
    want clang-tidy command -v clang-tidy
    want shellcheck command -v shellcheck
    want gcc-mingw-w64-x86-64-win32 command -v x86_64-w64-mingw32-gcc
    want python3-pip imports pip
fi
install_missing
cmake --list-presets >/dev/null 2>&1 || stop "CMake 3.25 or later is needed for this; here is $(cmake --version | head -n 1)"

if ! headers=$(find_headers); then
    export CUDAToolkit_ROOT="$PWD/build/cuda"
    headers=$(find_headers -DCUDAToolkit_ROOT="$CUDAToolkit_ROOT") || fetch_headers
    headers=$(find_headers -DCUDAToolkit_ROOT="$CUDAToolkit_ROOT") || stop "$headers"
fi
say "CUDA headers: $headers"
rm -f build/dev/junit.xml

status=0
[ "$goal" = tools ] || cmake --workflow --preset "$goal" || status=$?
[ "$goal" != test ] || [ ! -f build/dev/junit.xml ] || awk -f cmake/junit.awk build/dev/junit.xml
exit $status
