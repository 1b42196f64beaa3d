# For scripts that build in a folder of their own: how `cmake $(ninja_for FOLDER) -S ...` makes it with Ninja, where that is there and the
# folder was not made in another way already. make takes longer.
ninja_for() { test -f "$1/CMakeCache.txt" || ! command -v ninja >/dev/null || echo -G Ninja; }
