/** Units and locale of one language; everything that turns a number into words goes through here. */
export interface Units {
  locale: string;
  millisecond: string;
  second: string;
  minute: string;
  hour: string;
  day: string;
  now: string;
  unknown: string;
}

/** What a person reads for a number. Times are milliseconds, instants ms since 1970, sizes bytes. */
export interface Format {
  /** "60 ms", "8.2 s", "12 s", "41 min", "9 h 12", "24 h", "2 d 3 h". */
  duration(ms: number): string;
  /** "14:20" on the person's clock. */
  clock(at: number): string;
  /** "14:20:31". */
  clockSeconds(at: number): string;
  /** The clock when it was within the last 20 hours, else the day: "Nov 20". */
  when(at: number, now: number): string;
  /** "Nov 20, 14:20". */
  stamp(at: number): string;
  /** "now", "6 min", "3 h", then the day. */
  ago(at: number, now: number): string;
  /** "18,203". */
  count(n: number): string;
  /** "71k", "1.2M": for tokens, where the last digits say nothing. */
  compact(n: number): string;
  /** "40.5"; null is unknown. */
  score(n: number | null): string;
  /** "$31.20"; not finite is unknown. */
  money(n: number): string;
  bytes(n: number): string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function formatter(units: Units): Format {
  const count = new Intl.NumberFormat(units.locale);
  const oneDigit = new Intl.NumberFormat(units.locale, { maximumFractionDigits: 1 });
  const money = new Intl.NumberFormat(units.locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
  });
  const clock = new Intl.DateTimeFormat(units.locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const seconds = new Intl.DateTimeFormat(units.locale, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const stamp = new Intl.DateTimeFormat(units.locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const day = new Intl.DateTimeFormat(units.locale, { month: 'short', day: 'numeric' });

  function duration(ms: number): string {
    const value = Math.max(0, ms);
    if (value > 0 && value < 100) return `${Math.ceil(value)} ${units.millisecond}`;
    if (value < 10 * SECOND && value % SECOND !== 0) return `${(value / SECOND).toFixed(1)} ${units.second}`;
    if (value < MINUTE) return `${Math.floor(value / SECOND)} ${units.second}`;
    if (value < HOUR) return `${Math.floor(value / MINUTE)} ${units.minute}`;
    if (value < 2 * DAY) {
      const minutes = Math.floor((value % HOUR) / MINUTE);
      const hours = `${Math.floor(value / HOUR)} ${units.hour}`;
      return minutes === 0 ? hours : `${hours} ${String(minutes).padStart(2, '0')}`;
    }
    const hours = Math.floor((value % DAY) / HOUR);
    const days = `${Math.floor(value / DAY)} ${units.day}`;
    return hours === 0 ? days : `${days} ${hours} ${units.hour}`;
  }

  function compact(n: number): string {
    if (n < 1000) return count.format(n);
    if (n < 1_000_000) return `${oneDigit.format(n < 10_000 ? n / 1000 : Math.round(n / 1000))}k`;
    return `${oneDigit.format(n / 1_000_000)}M`;
  }

  return {
    duration,
    compact,
    clock: (at) => clock.format(at),
    clockSeconds: (at) => seconds.format(at),
    stamp: (at) => stamp.format(at),
    when: (at, now) => (Math.abs(now - at) < 20 * HOUR ? clock.format(at) : day.format(at)),
    ago: (at, now) => {
      const passed = now - at;
      if (passed < MINUTE) return units.now;
      if (passed < DAY) return duration(passed < HOUR ? passed : passed - (passed % HOUR));
      return day.format(at);
    },
    count: (n) => count.format(n),
    score: (n) => (n === null || !Number.isFinite(n) ? units.unknown : oneDigit.format(n)),
    money: (n) => (Number.isFinite(n) ? money.format(n) : units.unknown),
    bytes: (n) => {
      if (n < 1024) return `${count.format(n)} B`;
      if (n < 1024 ** 2) return `${oneDigit.format(n / 1024)} kB`;
      if (n < 1024 ** 3) return `${oneDigit.format(n / 1024 ** 2)} MB`;
      return `${oneDigit.format(n / 1024 ** 3)} GB`;
    },
  };
}
