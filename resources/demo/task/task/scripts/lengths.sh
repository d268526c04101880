#!/bin/sh
# Prints how many words the first 800 rows have. It measures row by row, so it takes some seconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rows=0
head -n 800 "$here/../../data/datasets/paragraphs.tsv" | while IFS= read -r row; do
  words=$(printf '%s\n' "$row" | cut -f 3 | wc -w)
  echo $((words))
  rows=$((rows + 1))
  if [ $((rows % 200)) -eq 0 ]; then echo "$rows rows measured" >&2; fi
done | sort -n | awk '{ w[NR] = $1 } END { print "words per row: quarter", w[int(NR / 4)], "half", w[int(NR / 2)], "three quarters", w[int(NR * 3 / 4)], "most", w[NR] }'
