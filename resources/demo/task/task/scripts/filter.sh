#!/bin/sh
# Writes the ids of the rows that pass filter.awk to data/outputs/kept.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/settings.sh"
mkdir -p "$root/data/outputs"
awk -v min_words="$MIN_WORDS" -f "$here/filter.awk" "$root/data/datasets/paragraphs.tsv" > "$root/data/outputs/kept.txt"
rows=$(wc -l < "$root/data/datasets/paragraphs.tsv")
kept=$(wc -l < "$root/data/outputs/kept.txt")
echo "kept $((kept)) of $((rows)) rows (at least $MIN_WORDS words)"
