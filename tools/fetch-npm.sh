#!/bin/sh
# SPDX-License-Identifier: MIT
# Gets a package from the npm registry that this machine's npm is set up for, and unpacks it.
#
#   fetch-npm.sh PACKAGE@VERSION SHA256 DIRECTORY
#
# The package's archive must be the one whose hash is given. Nothing of the package is run. DIRECTORY
# appears by one rename at the very end; a lock makes a second caller wait for the first.
set -eu

package=$1 sha256=$2 dir=$3

die() { echo "fetch-npm: $*" >&2; exit 1; }

command -v npm >/dev/null || die "no npm here: install Debian's package npm"
mkdir -p "$(dirname "$dir")"
exec 9>"$dir.lock"
flock 9
[ "$(cat "$dir/.sha256" 2>/dev/null)" != "$sha256" ] || exit 0

work=$(mktemp -d "$dir.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

if ! npm pack --ignore-scripts --pack-destination "$work" "$package" >"$work/log" 2>&1 </dev/null 9>&-; then
	tail -n 20 "$work/log" >&2
	die "npm could not get $package: see above"
fi
archive=$(echo "$work"/*.tgz)
found=$(sha256sum <"$archive" | cut -d ' ' -f 1)
[ "$found" = "$sha256" ] || die "$package has the hash $found, not $sha256"
# As they come, files are as old as the package; to make, they are new.
tar -xzmf "$archive" -C "$work" package
echo "$sha256" >"$work/package/.sha256"
rm -rf "$dir"
mv -T "$work/package" "$dir"
