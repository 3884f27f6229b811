#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds newlib for one architecture and puts include/ and lib/ into a directory of the cache.
#
#   build-newlib.sh TARBALL TARGET CROSS CFLAGS DIRECTORY
#
# The directory appears by one rename at the very end, so a half-built one is never seen; a lock
# makes a second build of the same directory wait for the first instead of repeating it.
set -eu

tarball=$1 target=$2 cross=$3 cflags=$4 dir=$5

say() { echo "  NEWLIB  $*"; }
die() { echo "newlib: $*" >&2; exit 1; }

[ -f "$tarball" ] || die "no /usr/src/newlib/newlib-*.tar.xz here: install package newlib-source"
command -v "${cross}gcc" >/dev/null || die "no compiler ${cross}gcc"
mkdir -p "$(dirname "$dir")" || die "cannot write to $(dirname "$dir")"

exec 9>"$dir.lock"
flock -n 9 || { say "waiting for another build of the same library"; flock 9; }
[ ! -e "$dir" ] || exit 0

rm -rf "$dir".?????? # what a killed build left: the lock says that none is running
work=$(mktemp -d "$dir.XXXXXX")
log=$dir.log
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

say "unpacking $(basename "$tarball")"
mkdir "$work/source" "$work/build"
tar -xf "$tarball" -C "$work/source" --strip-components=1 # its top directory differs by release

# The host's compiler under its cross name serves as the target's: everything of the target that
# differs (start-up code, system calls) is user/libc's. No multilibs, no libgloss, no manuals; printf
# is told to know C99's lengths (%zu, %jd) and long double. All threads have the same stdin, stdout and
# stderr, which newer releases do not need to be told.
build() {
	cd "$work/build"
	../source/configure --target="$target" --prefix="$work/install" --disable-multilib \
		--disable-libgloss --disable-newlib-supplied-syscalls --disable-shared --disable-nls \
		--enable-newlib-io-c99-formats --enable-newlib-io-long-long \
		--enable-newlib-io-long-double --enable-newlib-retargetable-locking \
		--enable-newlib-global-stdio-streams \
		CC_FOR_TARGET="${cross}gcc -ffreestanding" GCC_FOR_TARGET="${cross}gcc" \
		AS_FOR_TARGET="${cross}as" AR_FOR_TARGET="${cross}ar" \
		RANLIB_FOR_TARGET="${cross}ranlib" LD_FOR_TARGET="${cross}ld" \
		NM_FOR_TARGET="${cross}nm" OBJDUMP_FOR_TARGET="${cross}objdump" \
		STRIP_FOR_TARGET="${cross}strip" READELF_FOR_TARGET="${cross}readelf" \
		CFLAGS_FOR_TARGET="$cflags -ffile-prefix-map=$work=newlib" MAKEINFO=true
	make -j"$(nproc)" all-target-newlib
	make install-target-newlib
}

say "building for $target: a minute or two, once"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
(set -e; build) >"$log" 2>&1 9>&- &
pid=$!
trap 'kill $pid 2>/dev/null; wait $pid; exit 130' INT TERM HUP
seconds=0
while kill -0 $pid 2>/dev/null; do
	sleep 1
	seconds=$((seconds + 1))
	[ $((seconds % 15)) -ne 0 ] ||
		say "$(find "$work/build" -name '*.o' | wc -l) objects after $seconds s"
done
if ! wait $pid; then
	tail -n 30 "$log" >&2
	die "the build failed; all of its output is in $log"
fi

mv "$work/install/$target" "$work/done"
mv -T "$work/done" "$dir"
say "done in $seconds s: $dir"
