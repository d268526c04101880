import { WaymarkError } from '@shared/contract/errors';
import type { AssignOrder } from '@shared/contract/ipc/queue';
import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import { peopleCsv } from '@shared/labels/review/people-csv';
import { type Person, type PersonRow, queueClasses } from '@shared/labels/review/queue-views';
import { assignBatch, planBatch, takeBackBatch } from '../review/review-queue';
import { approvalLines } from './approval-words';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted, table } from './output';
import { personNamed } from './person-named';
import { named } from './run-commands';

/** `queue …`: what waits for a person, handing out work, and how it goes. */
export async function queueCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  switch (args.words[1]) {
    case 'assign':
      return assign(context, args);
    case 'take-back':
      return takeBack(context, args);
    case 'people':
      return people(context, args);
    case 'next':
      return next(context, args);
    default:
      return view(context, args);
  }
}

async function view(context: CliContext, args: Arguments): Promise<CommandResult> {
  const who = await whoAsks(context, args);
  const asked = await Promise.all(args.words.slice(1).map((word) => named(context, word)));
  const all = await context.reader.queueView(who, null);
  const open = asked.length > 0 ? asked : all.runs.length > 0 ? [] : await everyRun(context);
  const views = await Promise.all(open.map((run) => context.reader.queueView(who, run)));
  const shown = new Map([all, ...views].flatMap(({ runs }) => runs.map((run) => [run.run, run])));
  const runs = [...shown.values()].filter(({ run }) => asked.length === 0 || asked.includes(run));
  const approvals = await openApprovals(context, asked);
  const waiting = approvals.flatMap(approvalLines);
  return {
    json: { person: who, runs, approvals },
    lines:
      runs.length === 0
        ? approvals.length === 0
          ? ['Nothing is waiting for you.']
          : waiting
        : [
            ...waiting,
            ...table([
              ['run', 'decided', ...queueClasses, 'title'],
              ...runs.map(({ run, decided, total, left, title, assigned }) => [
                run,
                `${decided} of ${total}`,
                ...queueClasses.map((each) => String(left[each])),
                assigned ? title : `${title} (nobody is assigned)`,
              ]),
            ]),
          ],
  };
}

/** A run that waits for a word comes before everything that can be reviewed at leisure. */
async function openApprovals({ reader }: CliContext, asked: readonly string[]): Promise<ApprovalAsked[]> {
  const runs = (await reader.runs()).filter(({ id }) => asked.length === 0 || asked.includes(id));
  return (await Promise.all(runs.map(({ id }) => reader.openApprovals(id)))).flat();
}

async function next(context: CliContext, args: Arguments): Promise<CommandResult> {
  const who = await whoAsks(context, args);
  const [word] = args.words.slice(2);
  const run = word === undefined ? null : await named(context, word);
  const item = (await context.reader.queueNext(who, run, null, 1)) ?? (await nextOfAll(context, who, run));
  if (item === null) return { json: { item: null }, lines: ['Nothing is waiting for you.'] };
  const place = item.place === null ? '' : `, ${item.place} of ${item.of}`;
  return { json: { item }, lines: [`Step ${item.step} of run ${item.run} (${item.class}${place}).`] };
}

/** The first item of the runs that `queue` shows to whom nothing is assigned: the most pressing class first. */
async function nextOfAll(context: CliContext, who: Person, run: string | null) {
  if (run !== null || (await context.reader.queueView(who, null)).runs.length > 0) return null;
  const runs = await everyRun(context);
  const items = await Promise.all(runs.map((each) => context.reader.queueNext(who, each, null, 1)));
  const rank = (item: (typeof items)[number]) =>
    item === null ? queueClasses.length : queueClasses.indexOf(item.class);
  return items.reduce((best, item) => (rank(item) < rank(best) ? item : best), null);
}

async function assign(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { values } = args;
  const overlap = values.overlap === undefined ? 0 : Number(values.overlap);
  if (!(overlap >= 0 && overlap <= 1)) {
    throw new WaymarkError(
      'bad_input',
      `--overlap is "${values.overlap}" but must be a share such as 0.2, from 0 to 1.`,
    );
  }
  const order: AssignOrder = {
    runs: await Promise.all((values.run ?? []).map((word) => named(context, word))),
    by: oneOf(values.by, ['run', 'segment'], 'segment', '--by'),
    people: await peopleNamed(context, required(values.to, '--to')),
    overlap,
    blind: values.blind ? 'second' : 'none',
  };
  if (order.runs.length === 0) {
    throw new WaymarkError('bad_input', 'Name the runs to hand out with --run RUN.');
  }
  const plan = await planBatch(context.reader, order);
  const lines = [
    ...table([
      ['person', 'first reviewer of', 'second reviewer of', 'blind'],
      ...plan.people.map(({ person, first, second, blind }) => [
        person.name,
        ...[first, second, blind].map(String),
      ]),
    ]),
    `${counted(plan.steps, 'step')} in ${counted(plan.units, 'piece')}; ${plan.overlapSteps} of them with a second reviewer (${percent(plan.overlap)}).`,
    ...(plan.already > 0 ? [`${plan.already} of them are already assigned.`] : []),
  ];
  if (values['dry-run']) return { json: { plan, batch: null }, lines: [...lines, 'Nothing was written.'] };
  const done = await assignBatch(context.store, context.author, order, plan.digest);
  return { json: { plan, ...done }, lines: [...lines, `Assigned as batch ${done.batch}.`] };
}

async function takeBack(context: CliContext, args: Arguments): Promise<CommandResult> {
  const batch = required(args.words[2], 'The batch');
  const done = await takeBackBatch(context.store, context.author, batch.toUpperCase());
  return {
    json: { batch, ...done },
    lines: [`Batch ${batch} is withdrawn. Decisions already made stay.`],
  };
}

async function people(context: CliContext, args: Arguments): Promise<CommandResult> {
  const runs = await Promise.all((args.values.run ?? []).map((word) => named(context, word)));
  const report = await context.reader.people(context.author, runs);
  if (args.values.format !== undefined) {
    oneOf(args.values.format, ['csv'], 'csv', '--format');
    return { json: report, lines: peopleCsv(report.rows).trimEnd().split('\n') };
  }
  return {
    json: report,
    lines:
      report.rows.length === 0
        ? ['No decisions yet, and nobody is assigned.']
        : table([
            [
              'run',
              'person',
              'assigned',
              'decided',
              'left',
              'agree',
              'kappa',
              'machines',
              'min',
              'flags',
              'differ',
            ],
            ...report.rows.map(personCells),
          ]),
  };
}

function personCells(row: PersonRow): string[] {
  return [
    row.run,
    row.person.name,
    row.assigned === null ? '-' : String(row.assigned),
    String(row.decided),
    String(row.left),
    row.agreement.raw === null ? '?' : `${percent(row.agreement.raw)} of ${row.agreement.n}`,
    row.agreement.kappa?.toFixed(2) ?? '?',
    row.machines.kappa?.toFixed(2) ?? '?',
    String(Math.round(row.workMs / 60_000)),
    String(row.flags),
    String(row.disagreements),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

async function everyRun(context: CliContext): Promise<string[]> {
  return (await context.reader.runs()).map(({ id }) => id);
}

/** Another name is that person when they are known here, else one known by name alone. */
async function whoAsks(context: CliContext, args: Arguments): Promise<Person> {
  const given = args.values.annotator;
  if (given === undefined || given === context.author.name) return context.author;
  const byName = personNamed(given);
  const known = (await context.reader.annotators()).filter(({ name }) => name === byName.name);
  return known.find(({ uuid }) => uuid !== byName.uuid) ?? byName;
}

/** Names by comma; who has said something here is known by more than the name. */
async function peopleNamed(context: CliContext, names: string): Promise<Person[]> {
  const known = [context.author, ...(await context.reader.annotators())];
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => known.find((person) => person.name === name) ?? personNamed(name));
}
