export interface MeterProps {
  /** 0..1; more is drawn as full. */
  value: number;
  label: string;
  width?: number;
}

/** How much of a limit is used; the number stands beside it. */
export function Meter({ value, label, width = 32 }: MeterProps) {
  const percent = Math.round(Math.max(0, Math.min(1, value)) * 100);
  return (
    <span
      role="img"
      aria-label={label}
      className={`meter ${percent >= 90 ? 'meter-high' : ''}`}
      style={{ width }}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}
