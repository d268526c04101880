/** Characters kept before the first match, so that it is in view however narrow the list is. */
const LEAD = 24;

/** Text with its matches between U+0001 and U+0002, as text and marks. */
export function Snippet({ text }: { text: string }) {
  let at = 0;
  return text.split(/[\u0001\u0002]/).map((part, index) => {
    const key = at;
    at += part.length + 1;
    if (index % 2 === 1) return <mark key={key}>{part}</mark>;
    const shown = index === 0 && part.length > LEAD ? `…${part.slice(-LEAD)}` : part;
    return <span key={key}>{shown}</span>;
  });
}
