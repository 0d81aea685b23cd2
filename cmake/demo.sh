#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh <cucopy-doctor> <folder of the simulated libcuda.so.1>
# Shows the doctor's table: of the real driver where there is one with a device, otherwise of two simulated devices.
set -eu

status=0
report=$("$1" 2>&1) || status=$?
if [ "$status" -ne 3 ]; then
    printf 'On the CUDA driver of this machine:\n\n%s\n' "$report"
    exit "$status"
fi
printf '%s\nNo GPU to use here, so this is on two simulated devices:\n\n' "$report"
LD_LIBRARY_PATH=$2 exec "$1"
