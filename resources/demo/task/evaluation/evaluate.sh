#!/bin/sh
# Scores data/outputs/kept.txt by F1 against key.tsv. Needs a POSIX shell and awk.
# A file that is missing or holds anything but known ids, each once, has the wrong form.
set -eu
kept="$WAYMARK_INPUTS/data/outputs/kept.txt"
[ -f "$kept" ] || kept=/dev/null
awk -F '\t' '
  function result(valid, score, metrics, message) {
    printf "{\"score\": %.6f, \"valid\": %s, \"metrics\": {%s}, \"message\": \"%s\"}\n", score, valid, metrics, message
    done = 1
    exit
  }
  FILENAME == ARGV[1] { wanted[$1] = ($2 == "keep"); if ($2 == "keep") positives++; known++; next }
  { sub(/\r$/, "") }
  $0 == "" { next }
  {
    lines++
    if (!($0 in wanted)) { problem = "line " FNR " is no id of paragraphs.tsv"; exit }
    if ($0 in chosen) { problem = "line " FNR " repeats the id " $0; exit }
    chosen[$0] = 1
    if (wanted[$0]) right++
  }
  END {
    if (done) exit
    if (problem != "") result("false", 0, "", "Wrong form: " problem ".")
    if (lines == 0) result("false", 0, "", "Wrong form: data/outputs/kept.txt is missing or empty.")
    precision = right / lines
    recall = right / positives
    f1 = right ? 2 * precision * recall / (precision + recall) : 0
    result("true", f1, sprintf("\"f1\": %.4f, \"kept\": %d, \"rows\": %d", f1, lines, known), sprintf("F1 %.4f; %d of %d rows kept.", f1, lines, known))
  }
' "$WAYMARK_EVALUATOR/key.tsv" "$kept" > "$WAYMARK_RESULT"
