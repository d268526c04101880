import { IconButton } from './Button';

export interface PreviousNextProps {
  /** What its two buttons are called. */
  previous: string;
  next: string;
  /** Nothing is before this one. */
  atFirst?: boolean;
  /** Nothing is after this one. */
  atLast?: boolean;
  onMove: (by: 1 | -1) => void;
}

/** Two small buttons that lead through a list, one up and one down. */
export function PreviousNext({ previous, next, atFirst = false, atLast = false, onMove }: PreviousNextProps) {
  return (
    <>
      <IconButton small icon="up" label={previous} disabled={atFirst} onClick={() => onMove(-1)} />
      <IconButton small icon="down" label={next} disabled={atLast} onClick={() => onMove(1)} />
    </>
  );
}
