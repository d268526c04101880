export interface KeyCapsProps {
  /** One cap each, as `capsOf` prints them. */
  caps: readonly string[];
}

/** The keys of a command, as printed on a keyboard. Decoration: the command's name says the rest. */
export function KeyCaps({ caps }: KeyCapsProps) {
  if (caps.length === 0) return null;
  return (
    <span className="keycaps" aria-hidden="true">
      {caps.map((cap) => (
        <kbd key={cap} className="keycap">
          {cap}
        </kbd>
      ))}
    </span>
  );
}
