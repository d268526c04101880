/** Characters that turn the reading direction and can make a text look like another one. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text in which nothing changes the order of what is read: direction marks are written out, `⟨U+202E⟩`. */
export function legible(text: string): string {
  return text.replace(
    turning,
    (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** The first `limit` UTF-16 units, ended at a line's end when there is one in the last fifth, and not inside a pair. */
export function firstPart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const feed = text.lastIndexOf('\n', limit);
  if (feed > limit * 0.8) return text.slice(0, feed + 1);
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
