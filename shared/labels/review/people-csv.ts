import { csvText } from '../../base/csv-text';
import type { PersonRow } from './queue-views';

const columns: [string, (row: PersonRow) => string | number | null][] = [
  ['run', ({ run }) => run],
  ['title', ({ title }) => title],
  ['person', ({ person }) => person.name],
  ['person_id', ({ person }) => person.uuid],
  ['assigned', ({ assigned }) => assigned],
  ['decided', ({ decided }) => decided],
  ['left', ({ left }) => left],
  ['common', ({ agreement }) => agreement.n],
  ['agreement', ({ agreement }) => agreement.raw],
  ['kappa', ({ agreement }) => agreement.kappa],
  ['machine_common', ({ machines }) => machines.n],
  ['machine_agreement', ({ machines }) => machines.raw],
  ['machine_kappa', ({ machines }) => machines.kappa],
  ['minutes', ({ workMs }) => Math.round(workMs / 6_000) / 10],
  ['flags', ({ flags }) => flags],
  ['disagreements', ({ disagreements }) => disagreements],
  ['median_seconds', ({ times }) => (times === null ? null : times.medianMs / 1000)],
];

/** The people table as RFC 4180 CSV with a head line; what is not known is empty. */
export function peopleCsv(rows: readonly PersonRow[]): string {
  const lines = rows.map((row) => columns.map(([, of]) => cell(of(row))).join(','));
  return `${[columns.map(([name]) => name).join(','), ...lines].join('\n')}\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  // Names and titles are other people's words.
  return typeof value === 'number' ? String(Math.round(value * 1e6) / 1e6) : csvText(value);
}
