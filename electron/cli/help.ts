import { WaymarkError } from '@shared/contract/errors';

const helpText = `waymark: the engine of Waymark without its window

  task add PATH                     add a task package to the workspace
  task list | show ID               show: its limits, task hint, points and computers
  run start --task ID               create a run; --wait also drives it to its end
      [--model NAME] [--base-url URL] [--api-key-env VAR]
      [--images on|off]             whether the model takes images; default: the setting
                                    of its endpoint, off with --base-url
      [--computer NAME]...          where it runs: local or a host; with several
                                    computers in the task: --computer worker=gpu-03
      [--max-steps N] [--max-time 48h] [--max-evals N] [--max-tokens N] [--max-cost X]
      [--max-training-time 24h]     how long one training may run; default: the task's limit
      [--approvals on|off|task]     default: task: on, unless the task says otherwise
      [--task-hint off|tool|upfront]  the task's own hint; default: the task's setting
      [--human-hints on|off]        whether people may send hints; default: on
      [--title TEXT] [--experiment NAME] [--wait]
      [--arm NAME] [--group NAME]   recorded with the run, for comparing runs
      [--sample N] [--seed N]
      [--isolation sandbox|none]    how the agent's commands run on this machine; default:
                                    in a sandbox that shows only the run's own folders.
                                    Without a sandbox you are asked first, here or on
                                    resume; none is your consent
      [--show FOLDER[:rw]]...       your own folders to show in the sandbox, read-only
                                    unless :rw
  run resume RUN [--wait]           continue a run, in the background unless --wait
  run resume --all [--wait]         every run that has not ended and is not being driven
  run list | show RUN | remove RUN | purge RUN
  run approve RUN [--kind]          show what it waits for, and approve it if you say yes;
                                    --kind: also everything of that kind in this run
  run refuse RUN [--reason TEXT]    the agent sees that you refused, and your reason
  run pause RUN [--now]             after this step, or at once; lists what keeps running
  run stop RUN                      end it for good, without a final evaluation
  run model RUN NAME                use this endpoint from the settings for later steps
  run limits RUN                    change limits from its next step on; limits not named
      [--max-steps N] [--max-time 48h]  stay, and "none" removes a limit on tokens,
      [--max-evals N]               cost or training time
      [--max-tokens N|none] [--max-cost X|none] [--max-training-time 24h|none]
  step show RUN N [--prompt]        a step as recorded; --prompt: everything the model
                                    was sent for it
  hint send RUN TEXT                queue a hint, even while another process drives
      [--when W] [--wake]           W: score_changes, session_idle[:COMPUTER[/SESSION]],
      [--category C]                gpu_idle[:COMPUTER]:MINUTES, error_streak:STEPS.
                                    C: strategy, correction, information, question, other
  hint list RUN                     hints and what became of them; for a branch also those
                                    it inherited, dropped and added
  hint edit RUN N [TEXT]            N is the number of a queued hint; options as above
  hint move RUN N M|last            before hint M
  hint withdraw RUN N
  hint verdict RUN N acted-on|ignored|clear
  checkpoint make RUN [NOTE]        save its state after the current step
  checkpoint list RUN
  branch RUN --step N               a new run that continues after that step, with the files
      [--drop HINT]... [--add TEXT]...  of the newest checkpoint up to it; drop or add
      [--title TEXT] [--endpoint NAME]  hints, or use another model
  session list [--run RUN]          terminals and what they are doing
  session tail NAME --run RUN       print a terminal's output and follow it; NAME may be
      [--all] [--raw]               computer:session. --raw: its exact bytes
  computer add ALIAS                test a host from your ssh configuration and add it
      [--transport ssh2|openssh] [--no-test]
  computer list | test ALIAS | remove ALIAS
  label RUN STEP train|mask|clear   STEP is 12, 12-15 or 3,7,12-15
      [--reason R] [--annotator NAME]  R: a code of the guideline, or words of your own
  guideline                         the reason codes, what counts, and what to keep
  label adjudicate RUN STEP train|mask
                                    settle a disagreement
  label correct RUN STEP --call NAME --arguments JSON
      [--thought TEXT]              what the model should have done, stored with the step
  label undo RUN                    undo what you (or --annotator NAME) did last
  label judge RUN FILE.jsonl        import a judge's votes, one JSON object per line
  label export --out FILE           the whole annotation log, for merge elsewhere
  judge run [--run RUN]...          ask a model which steps to keep or mask; what it has
      [--judge NAME] [--max-cost X]  already judged by this rubric is left out
      [--rubric FILE|built-in]      otherwise: what is kept for the task of each run
      [--steps all|undecided|disagreeing|changed]  changed: judged before, by another
                                    rubric or before what the steps show changed
      [--mode mask|reward]          reward: several votes on whether each step is good, +1
      [--votes 3]                   or −1, by a rubric named steps or rlanything, or by
      [--temperature 0.8]           FILE; --future no: without regard to the outcome
      [--future yes|no]
      [--price IN,CACHED,OUT]       what a million tokens cost, or IN,OUT; else as in the
                                    settings
      [--model M] [--base-url URL] [--api-key-env VAR]
  judge estimate                    what judge run with the same options would ask and cost;
                                    nothing is sent
  judge list                        batches of judges: every judge run is one
  judge show BATCH                  what was asked for, its state, answers, votes and cost
  judge stop BATCH                  stop it, whichever process runs it; answers to requests
                                    in progress are stored
  judge resume BATCH [--max-cost X]  continue where it stopped, with the same choices; votes that
      [--model M] [--base-url URL]  are already stored are not paid for again
      [--api-key-env VAR] [--price IN,CACHED,OUT]
  judge prompt RUN STEP --judge NAME  the exact prompt that the judge's vote answers, proved
      [--vote N]                    by its hash; --vote N: of a rating of the step
  judge agreement [--run RUN]...    how good judges are: against people, each other and how runs
      [--truth NAME]                ended; NAME: the person or judge whose word counts as right
  judge rubric show --task T        the text that the task's steps are judged by; for those
      [--summaries]                 of its summaries, here and with diff, set and reset
      [--out FILE]                  write it to a new file, to be edited there
  judge rubric diff [FILE] --task T  how it differs from the built-in text, or FILE from it
  judge rubric try FILE --run RUN   ask the judge by FILE and say which verdicts would change,
      [--judge NAME] [--max-cost X]  against people's labels; votes stay as they are
      [--price IN,CACHED,OUT]
      [--model M] [--base-url URL] [--api-key-env VAR]
  judge rubric set FILE --task T    keep FILE for the task; its trial verdicts become votes
  judge rubric reset --task T       go back to the built-in text
  merge PATH                        merge in the labels of another workspace: its folder,
                                    a file from label export, or a backup
  rules RUN                         what the rules say, step by step
  rules list | show RULE            the rules; with --task T, as set for that task
  rules preview RUN                 what other settings would change: [--on RULE]...
                                    [--off RULE]... [--set RULE.PARAMETER=VALUE]...
  rules set --task T                apply to all runs of the task; as for preview, and
                                    [--precedence union|judge_over_rule]
  rules clear --task T              go back to the rules the task itself sets
  stats RUN                         figures on scores, labels, rules, actions and people
  stats --experiment NAME           the same as experiment show NAME
      [--format tables|csv|markdown]
  experiment list                   experiments that runs name, with arms, tasks and runs
  experiment show NAME              scores, hours and cost by arm, domain and task; scores
                                    over the hours, hints, effort
      [--format tables|csv|markdown]  csv: one line per run; markdown: a report for a paper
  experiment overlap NAME           tasks that another experiment or a dataset has as well
      --with EXPERIMENT | --dataset DIR
  import PATH [--format researchgym]  a node, a tree or a checkpoint folder becomes a run
      [--title TEXT] [--task ID] [--again]
  queue [RUN]... | queue next [RUN]  what waits for you (or --annotator NAME), by class
  queue assign --run R... --to NAME,NAME  hand out runs or their segments, balanced
      [--by segment|run] [--overlap 0.2] [--blind] [--dry-run]
  queue take-back BATCH             withdraw a batch; decisions already made stay
  queue people [--run R]... [--format csv]  decided, left, agreement, minutes
  export --format FORMAT --out DIR  write a dataset; without --format: slime
      [--variant all|rules|judge|human|unmasked|ablations]  whose opinions make masks;
                                    ablations: all five from one snapshot
      [--run RUN]... [--filter task=A,task=B,'score>=80']...  conditions: task= domain=
                                    experiment= arm= annotator= judge= source= kind=
                                    successful score>= tokens>= tokens<= date>= date<
      [--deduplicate]               keep only the best run of each task and sample
      [--split 0.1 [--seed N]]      share of the tasks that goes to validation
      [--undecided refuse|train|mask] [--no-tools refuse|allow]
      [--preset default|apollo] [--carried once|paper] [--reasoning as-sent|drop|keep]
      [--arguments auto|string|object] [--tokenizer DIR]  form of a call's arguments; auto:
                                    as the chat template in DIR wants it, else string
      [--redact strict|names|off] [--allow FINDING]...  what is taken out of texts
      [--rewards outcome|step|integrated]  for formats with rewards: what rewards are made of
      [--encoding jsonl|parquet] [--compress none|gzip|zstd]
  export preview                    what the same options would write: rows, steps by
                                    reason, tokens, what filters take out, longest rows
  export verify DIR                 compare a dataset with its manifest, with the labels of
                                    its snapshot, and with what its loader takes
  export list                       past exports of this workspace, newest first
  export findings                   secrets and names in the same rows, by rule and place,
                                    and the name to allow each by; never a secret itself
  export tokens --tokenizer DIR --run RUN --segment N
                                    one row token by token, as its trainer sees it; DIR has
                                    tokenizer.json and a chat template
      [--kind summary] [--format F] [--variant V] [--arguments auto|string|object]
      [--rule auto|turn|generation|slime-qwen|slime-qwen3|slime-qwen3_5|slime-distill_qwen]
  serve --stdio                     serve the workspace to a window, over the SSH channel
                                    it opened; --workspace DIR, else the default one
  verify [--logs]                   check chains, texts, prompts, rows, session logs; --logs:
                                    only what was recorded, not what is derived from it
  rebuild [RUN]... [--search]       derive lists and labels from the logs again; --search:
                                    also rebuild the search index
  restore                           list the backups of the workspace
  restore [BACKUP] --to DIR         make a new workspace from a backup (its number, name or
                                    file) and whatever is readable in a damaged one
  clean                             remove what no run needs any more
  completion bash|zsh               a script that completes commands, options and ids:
                                    eval "$(waymark completion bash)" in the shell's start file
  demo [--out DIR]                  the demo task from run to dataset, in a folder of its own
  version                           the versions of Waymark, Node.js and SQLite

  --workspace DIR   else WAYMARK_WORKSPACE, else the workspace opened last
  --trust           a workspace from another device is read-only until you pass this once
  You are asked for passwords and about unknown host keys at the terminal; without one
  they are refused.
  --json            one JSON document instead of text; before it, while a run is driven
                    with --wait, one line for each approval it waits for
  Exit code: 0 done, 1 refused (the error says why), 2 a bug in Waymark; for judge run,
  judge resume and judge rubric try also 1 stopped by judge stop or in a window, 3 ended by
  --max-cost, 130 stopped by Ctrl C
`;

/** Where the options that every command takes begin. */
const general = helpText.slice(helpText.indexOf('  --workspace DIR'));

/**
 * What `--help` prints beside `words`: all of it without any, else the commands they name and what every command takes.
 * @throws WaymarkError `bad_input` when no command is called so
 */
export function helpFor(words: readonly string[], called = 'waymark'): string {
  return asCalled(helpOf(words), called);
}

/** What a person types to call it: in the repository that is a script of npm's. */
export function calledAs(environment: Readonly<Record<string, string | undefined>>): string {
  return environment.npm_lifecycle_event === 'waymark' ? 'npm run -s waymark --' : 'waymark';
}

/** A text that names commands, with the name they have here. */
export function asCalled(text: string, called: string): string {
  return called === 'waymark'
    ? text
    : text.replace(/^waymark(?=[ :])|(?<=[ "`(])waymark(?= -?-?[a-z])/gm, called);
}

function helpOf(words: readonly string[]): string {
  const [family, verb] = words[0] === 'run' && words[1] === 'hint' ? ['hint', 'send'] : words;
  if (family === undefined) return helpText;
  const ofFamily = entries().filter((entry) => entry.family === family);
  if (ofFamily.length === 0) throw unknownCommand(family);
  const ofVerb = ofFamily.filter(({ verbs }) => verb !== undefined && verbs.includes(verb));
  if (ofVerb.length > 0) return page(`${family} ${verb}`, ofVerb);
  // What follows a command without verbs is a value of it: `stats RUN`, `label RUN 12 train`.
  const bare = ofFamily.filter(({ verbs }) => verbs.length === 0);
  if (verb === undefined || bare.length > 0) return page(family, verb === undefined ? ofFamily : bare);
  throw unknownCommand(`${family} ${verb}`);
}

const page = (command: string, found: readonly Entry[]) =>
  `waymark ${command}\n\n${found.map(({ text }) => text).join('')}\n${general}`;

interface Entry {
  family: string;
  /** Every verb its first line names; none for a command that is one word. */
  verbs: string[];
  text: string;
}

/** The help's lines by command: one that is indented by two begins an entry, deeper ones belong to it. */
function entries(): Entry[] {
  const found: Entry[] = [];
  const commands = helpText.slice(helpText.indexOf('\n') + 1, helpText.indexOf(general));
  for (const line of commands.split('\n')) {
    const last = found.at(-1);
    const usage = /^ {2}(\S.*?)(?: {2,}.*)?$/.exec(line)?.[1];
    if (usage !== undefined) found.push({ ...named(usage), text: `${line}\n` });
    else if (last !== undefined && line.trim() !== '') last.text += `${line}\n`;
  }
  return found;
}

/** `rules list | show RULE` names the verbs list and show. */
function named(usage: string): { family: string; verbs: string[] } {
  const [first = '', ...others] = usage.split(' | ').map((part) => part.trim().split(' '));
  const family = first[0] ?? '';
  const verbs = [first[1], ...others.map(([one, two]) => (one === family ? two : one))];
  return { family, verbs: verbs.filter((word): word is string => /^[a-z][a-z-]*$/.test(word ?? '')) };
}

function unknownCommand(command: string): WaymarkError {
  return new WaymarkError(
    'bad_input',
    `There is no command "${command}". Run "waymark --help" for the commands.`,
  );
}
