export interface MeterProps {
  /** 0..1; more is drawn as full. */
  value: number;
  label: string;
  width?: number;
  /** How it is drawn; by default with attention from 90 % on. */
  tone?: 'plain' | 'attention' | 'danger';
}

/** How much of a limit is used; the number stands beside it. */
export function Meter({ value, label, width = 32, tone }: MeterProps) {
  const percent = Math.round(Math.max(0, Math.min(1, value)) * 100);
  const shown = tone ?? (percent >= 90 ? 'attention' : 'plain');
  const look = { plain: '', attention: 'meter-high', danger: 'meter-spent' }[shown];
  return (
    <span role="img" aria-label={label} className={`meter ${look}`} style={{ width }}>
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}
