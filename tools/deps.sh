#!/bin/sh
# SPDX-License-Identifier: MIT
# Sees to it that the Debian packages of make/packages.txt are there for the given uses:
#
#   deps.sh USE...        e.g. deps.sh build run
#
# Installs what is missing when it may (root, or sudo that asks for no password); else prints the one
# line to run and fails. Nothing is touched when nothing is missing.
set -eu

list=$(dirname "$0")/../make/packages.txt
log=build/deps/apt.log

if ! command -v dpkg-query >/dev/null; then
	echo "deps: not a Debian system; this needs the like of:" \
		$(awk '!/^#/ { print $2 }' "$list") >&2
	exit 0
fi

host=$(dpkg --print-architecture)
missing=
for use in "$@"; do
	for package in $(awk -v use="$use" -v host="$host" \
		'$1 == use && ($3 == "any" || $3 == host || (sub(/^!/, "", $3) && $3 != host)) { print $2 }' \
		"$list"); do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			missing="$missing $package"
	done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
	root=
elif sudo -n true 2>/dev/null; then
	root="sudo -n"
else
	echo "deps: Debian packages are missing; run: sudo apt-get install --no-install-recommends$missing" >&2
	exit 1
fi

mkdir -p build/deps
exec 9>build/deps/lock
flock 9 # two makes at once: apt would refuse the second
echo "  DEPS    installing$missing"
apt() { $root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"; }
if ! { apt update && apt install --no-install-recommends $missing; } </dev/null >"$log" 2>&1 9>&-; then
	tail -n 20 "$log" >&2
	echo "deps: apt-get could not install$missing; all it said is in $log" >&2
	exit 1
fi
