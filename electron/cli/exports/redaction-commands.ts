import type { RedactionView } from '@shared/contract/export-views';
import { planExport } from '../../dataset/export-plan';
import { findSecrets } from '../../dataset/redaction/findings';
import { redactionSettings } from '../../dataset/redaction/settings';
import type { Arguments } from '../arguments';
import type { CliContext } from '../context';
import { type CommandResult, counted, table } from '../output';
import { privateSources, requestOf } from './export-commands';

/** Lines of the table; `--json` has all of them. */
const SHOWN = 50;

/** `export findings`: what would be taken out of the rows of such an export. It never prints a secret. */
export async function findingsCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const request = await requestOf(context, args);
  const plan = await planExport(context.reader, request);
  const settings = redactionSettings(plan.runs, plan.options, privateSources(context));
  const view = (await findSecrets(context.reader, plan, { settings, signal: request.signal })).view();
  return { json: view, lines: linesOf(view) };
}

function linesOf({ findings, scannedBytes }: RedactionView): string[] {
  const scanned = `${counted(Math.round(scannedBytes / 1024), 'kilobyte')} of text scanned.`;
  if (findings.length === 0)
    return [`Nothing was found: ${scanned} Keys of unknown formats cannot be recognized.`];
  const rows = findings
    .slice(0, SHOWN)
    .map(({ name, rule, placeholder, excerpt, count, places, allowed }) => [
      allowed ? 'allowed' : placeholder,
      rule,
      excerpt,
      `${count}×`,
      places[0] === undefined ? '' : `${places[0].run} step ${places[0].step}, ${places[0].field}`,
      name,
    ]);
  const more = findings.length - SHOWN;
  return [
    ...table(rows),
    ...(more > 0 ? [`… and ${more} more; --json lists all of them.`] : []),
    `${counted(findings.length, 'finding')}; ${scanned} Add --allow NAME to leave one as it is.`,
  ];
}
