# Prints the id of each row that is worth keeping. Columns: id, package, text.
BEGIN { FS = "\t" }
{
  text = $3
  if (split(text, word, " ") < min_words) next
  print $1
}
