# SPDX-License-Identifier: MIT
# SQLite, as one file of C that the package better-sqlite3 carries; unchanged, with its own file system
# layer for Unix. Shared libraries to load as extensions are what this system does not have.

APP_NPM := better-sqlite3@12.11.1
APP_NPM_SHA256 := ebf0ed75a7a59dbcb3b24bbd014ef49d9f15bc328e4adcbf516f2a8fadfa2835
APP_NPM_SRC := deps/sqlite3/sqlite3.c
APP_NPM_CFLAGS := -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION

APP_RECORD := perf record -e context-switches/period=1/,cpu-clock/freq=997/,page-faults/period=1/ -g
