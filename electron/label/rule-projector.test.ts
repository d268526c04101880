import { noRuleSettings } from '@shared/contract/rules/rule-settings';
import type { RuleVerdict } from '@shared/labels/labels';
import { RunScript, type ScriptedCall } from '@shared/runs/run-fixtures';
import { describe, expect, it } from 'vitest';
import { createRuleProjector, startRules } from './rule-projector';
import { everyRule, ruleSetFor, ruleSetVersion } from './rule-set';

const run = '01KRVN00000000000000000000';

/** Verdicts as a store would keep them: the last of each rule on each step. */
function verdicts(steps: ScriptedCall[][], preset: 'default' | 'apollo' = 'default') {
  const script = new RunScript(run).startSegment();
  for (const calls of steps) script.answer(calls);
  const [created] = script.events;
  if (!created) throw new Error('no events');
  const fold = startRules(ruleSetFor({}, noRuleSettings, preset).rules, created);
  const kept = new Map<string, { step: number; verdict: RuleVerdict }>();
  for (const event of script.events) {
    for (const row of fold.apply(event)) kept.set(`${row.verdict.rule} ${row.step}`, row);
  }
  return [...kept.values()].sort((a, b) => a.step - b.step);
}

const marks = (rule: string, steps: ScriptedCall[][], preset: 'default' | 'apollo' = 'default') =>
  verdicts(steps, preset)
    .filter(({ verdict }) => verdict.rule === rule)
    .map(({ step }) => step);

let seq = 0;
const sh = (
  command: string,
  more: Partial<ScriptedCall> & { exitCode?: number; async?: boolean } = {},
): ScriptedCall => {
  seq += 1;
  const { exitCode = 0, async = false, ...rest } = more;
  const data = { computer: 'local', session: 'main', sessionId: 's1', commandSeq: seq, command, async };
  return {
    name: 'run_command',
    args: { command },
    data: async ? data : { ...data, exitCode },
    ...rest,
  };
};
const open = (path: string): ScriptedCall => ({
  name: 'open_file',
  data: { path, startLine: 1, endLine: 10, totalLines: 10 },
});
const edit = (path: string): ScriptedCall => ({
  name: 'edit_file',
  data: { path, startLine: 1, endLine: 2, totalLines: 10 },
  files: [{ path, before: 'there' }],
});
const create = (path: string, before: 'new' | 'there' = 'new'): ScriptedCall => ({
  name: 'create_file',
  data: { path, totalLines: 3 },
  files: [{ path, before }],
});
const think: ScriptedCall = { name: 'think' };
const f = '/w/a.py';

describe('error-observation', () => {
  const cases: [string, ScriptedCall[][], number[]][] = [
    [
      'a failed action',
      [[{ name: 'open_file', error: { code: 'not_found', message: 'No such file' } }]],
      [1],
    ],
    ['a time-out', [[sh('sleep 99', { error: { code: 'timed_out', message: 'Killed' } })]], [1]],
    ['an invalid call beside a valid one', [[think, { name: 'nope', invalid: 'Unknown tool' }]], [1]],
    ['a command that exits non-zero is no failed action', [[sh('false', { exitCode: 1 })]], []],
    ['all is well', [[open(f)], [sh('ls')]], []],
    [
      'an evaluator that crashed',
      [[{ name: 'eval', error: { code: 'evaluation_unavailable', message: 'It crashed.' } }]],
      [],
    ],
    ['the second of two calls', [[think, { name: 'x', error: { code: 'refused', message: 'No' } }]], [1]],
  ];
  it.each(cases)('%s', (_, steps, expected) => expect(marks('error-observation', steps)).toEqual(expected));

  it('is hard and names what failed', () => {
    const [row] = verdicts([
      [{ name: 'open_file', error: { code: 'not_found', message: 'No file /x\nmore' } }],
    ]);
    expect(row?.verdict).toMatchObject({
      hard: true,
      effect: 'mask',
      why: 'open_file failed with not_found: No file /x',
    });
  });
});

describe('null', () => {
  const cases: [string, ScriptedCall[][], number[]][] = [
    ['an answer without a call', [[]], [1]],
    ['an answer with only invalid calls', [[{ name: 'run_command', raw: '{', invalid: 'Not JSON' }]], [1]],
    ['a valid call', [[think]], []],
  ];
  it.each(cases)('%s', (_, steps, expected) => expect(marks('null', steps)).toEqual(expected));
  it('is not also an error-observation', () => {
    expect(marks('error-observation', [[{ name: 'x', invalid: 'Unknown' }]])).toEqual([]);
  });
});

describe('command-failed', () => {
  it('is soft and looks at the exit code', () => {
    const rows = verdicts([[sh('python a.py', { exitCode: 2 })], [sh('true')]]);
    expect(rows.map(({ step, verdict }) => [step, verdict.rule, verdict.hard, verdict.why])).toEqual([
      [1, 'command-failed', false, 'Exit code 2: python a.py'],
    ]);
  });

  it('marks the step that started a command when a later one learns its exit code', () => {
    const started = sh('python train.py', { async: true });
    const read: ScriptedCall = {
      name: 'get_session_output',
      data: { ...started.data, exitCode: 1 },
    };
    const rows = verdicts([[started], [think], [read], [read]]);
    expect(rows.map(({ step, verdict }) => [step, verdict.rule, verdict.steps])).toEqual([
      [1, 'command-failed', [3]],
    ]);
  });

  it('leaves a command that never ran to error-observation', () => {
    expect(
      marks('command-failed', [[sh('x', { exitCode: 1, error: { code: 'timed_out', message: '' } })]]),
    ).toEqual([]);
  });
});

const blind: [string, ScriptedCall[][], number[], number[]][] = [
  ['never looked at', [[think], [edit(f)]], [2], [2]],
  ['looked at in the step before', [[open(f)], [edit(f)]], [], []],
  ['looked at earlier', [[open(f)], [think], [edit(f)]], [], [3]],
  ['two edits in a row', [[open(f)], [edit(f)], [edit(f)]], [], [3]],
  ['two edits in one answer', [[open(f)], [edit(f), edit(f)]], [], [2]],
  ['an edit after one that showed nothing', [[open(f)], [sh(`sed -i s/a/b/ ${f}`)], [edit(f)]], [3], [3]],
  ['two edits with a look between', [[open(f)], [edit(f)], [open(f)], [edit(f)]], [], []],
  ['look and edit sampled together', [[open(f), edit(f)]], [1], [1]],
  ['edit beside a look, then an edit', [[open(f)], [edit(f), open(f)], [edit(f)]], [], [3]],
  ['another file was looked at', [[open('/w/b.py')], [edit(f)]], [2], [2]],
  ['a new file', [[create(f)]], [], []],
  ['overwriting unseen', [[create(f, 'there')]], [1], [1]],
  ['created, then edited', [[create(f)], [edit(f)]], [], [2]],
  [
    'a failed edit is no edit',
    [[{ ...edit(f), ok: false, files: [], error: { code: 'not_found', message: '' } }]],
    [],
    [],
  ],
  [
    'a search that found lines',
    [[{ name: 'search_file', data: { path: f, hitLines: [3] } }], [edit(f)]],
    [],
    [],
  ],
  [
    'a search without a hit',
    [[{ name: 'search_file', data: { path: f, hitLines: [] } }], [edit(f)]],
    [2],
    [2],
  ],
  [
    'a search of a folder that showed it',
    [[{ name: 'search_dir', data: { where: '/w', hits: 2, shown: [f] } }], [edit(f)]],
    [],
    [],
  ],
  [
    'a search of a folder that showed another',
    [[{ name: 'search_dir', data: { where: '/w', hits: 2, shown: ['/w/b.py'] } }], [edit(f)]],
    [2],
    [2],
  ],
  [
    'a search of a folder in an older log',
    [[{ name: 'search_dir', data: { where: '/w', hits: 2 } }], [edit(f)]],
    [],
    [],
  ],
  [
    'a search of a folder without a hit in an older log',
    [[{ name: 'search_dir', data: { where: '/w', hits: 0 } }], [edit(f)]],
    [2],
    [2],
  ],
  ['a search for names', [[{ name: 'find_file', data: { where: '/w', hits: 2 } }], [edit(f)]], [2], [2]],
  ['cat', [[sh(`cat ${f}`)], [edit(f)]], [], []],
  ['relative to the shell', [[sh('head -5 a.py')], [edit(f)]], [], []],
  ['sed -n', [[sh(`sed -n 1,5p ${f}`)], [edit(f)]], [], []],
  ['git diff of everything', [[sh('git diff')], [edit(f)]], [], []],
  ['grep -r over the folder', [[sh('grep -rn foo /w')], [edit(f)]], [], []],
  ['a pattern that covers it', [[sh('cat *.py')], [edit(f)]], [], []],
  ['a pattern that does not', [[sh('cat *.json')], [edit(f)]], [2], [2]],
  ['a folder entered before', [[sh('cd src')], [sh('cat a.py')], [edit('/w/src/a.py')]], [], []],
  ['a folder that cannot be known', [[sh('cd $D')], [sh('cat a.py')], [edit('/w/x/a.py')]], [], []],
  ['output kept in a file is no look', [[sh(`cat ${f} > /tmp/x`)], [edit(f)]], [2], [2]],
  ['background output that was never read', [[sh(`cat ${f}`, { async: true })], [edit(f)]], [2], [2]],
  [
    'background output that was read',
    [
      [sh(`cat ${f}`, { async: true })],
      [{ name: 'get_session_output', data: { computer: 'local', session: 'main' } }],
      [edit(f)],
    ],
    [],
    [],
  ],
  [
    'changed by a program since',
    [[open(f)], [sh('python fix.py', { files: [{ path: f, before: 'there', by: 'shell' }] })], [edit(f)]],
    [3],
    [3],
  ],
  ['sed -i unseen', [[sh(`sed -i s/a/b/ ${f}`)]], [1], [1]],
  ['sed -i after a look', [[open(f)], [sh(`sed -i s/a/b/ ${f}`)]], [], []],
  ['cat and sed -i in one command', [[sh(`cat ${f} && sed -i s/a/b/ ${f}`)]], [1], [1]],
  [
    'heredoc over an unseen file',
    [[sh(`cat > ${f} <<'EOF'\nx\nEOF`, { files: [{ path: f, before: 'there', by: 'shell' }] })]],
    [1],
    [1],
  ],
  [
    'heredoc into a new file',
    [[sh(`cat > ${f} <<'EOF'\nx\nEOF`, { files: [{ path: f, before: 'new', by: 'shell' }] })]],
    [],
    [],
  ],
  ['tee over a file of its own', [[create(f)], [sh(`echo x | tee ${f}`)]], [], [2]],
  ['git checkout of an unseen file', [[sh(`git checkout -- ${f}`)]], [1], [1]],
  ['mv over a file of its own', [[create(f)], [sh(`mv /w/new.py ${f}`)]], [], [2]],
  ['an edit after mv', [[create(f)], [sh(`mv /w/new.py ${f}`)], [edit(f)]], [3], [2, 3]],
  ['renaming is no edit', [[create(f)], [sh(`mv ${f} /w/old.py`)]], [], []],
  [
    'a program may overwrite its output',
    [[sh('python e.py > /w/log')], [sh('python e.py > /w/log')]],
    [],
    [],
  ],
  [
    'a score written to a file again',
    [[sh('echo 30 > /w/score.txt')], [sh('echo 31 > /w/score.txt')]],
    [],
    [],
  ],
  [
    'tee of a program',
    [[sh('python t.py 2>&1 | tee /w/log')], [sh('python t.py 2>&1 | tee /w/log')]],
    [],
    [],
  ],
  ['a filter over itself', [[sh('python e.py > /w/l')], [sh('sort -u /w/l | tee /w/l')]], [2], [2]],
  ['text behind a program', [[sh('python e.py > /w/l')], [sh('echo done >> /w/l')]], [], []],
  ['text over a program', [[sh('python e.py > /w/l')], [sh('echo done > /w/l')]], [2], [2]],
  [
    'text behind and then over a program',
    [[sh('python e.py > /w/l')], [sh('echo done >> /w/l')], [sh('echo done > /w/l')]],
    [3],
    [3],
  ],
  [
    'text behind a file that a program made on its own',
    [
      [sh('python e.py', { files: [{ path: '/w/l', before: 'new', by: 'shell' }] })],
      [sh('echo done | tee -a /w/l', { files: [{ path: '/w/l', before: 'there', by: 'shell' }] })],
    ],
    [],
    [],
  ],
  [
    'text behind an unseen file of the task',
    [[sh('echo done >> /w/l', { files: [{ path: '/w/l', before: 'there', by: 'shell' }] })]],
    [1],
    [1],
  ],
  [
    'an edit of a heredoc of its own',
    [[sh(`cat > ${f} <<'EOF'\nx\nEOF`, { files: [{ path: f, before: 'new', by: 'shell' }] })], [edit(f)]],
    [],
    [2],
  ],
  ['an editor that was left', [[sh(`vi ${f}`)], [open('/w/b.py')], [sh(`vi ${f}`)]], [], []],
  ['an edit of what an editor showed', [[sh(`vi ${f}`)], [edit(f)]], [], []],
  [
    'an editor that changed it',
    [[sh(`nano ${f}`, { files: [{ path: f, before: 'there', by: 'shell' }] })], [edit(f)]],
    [2],
    [2],
  ],
  ['a scripted editor', [[sh(`vim -c '%s/a/b/' -c wq ${f}`)]], [1], [1]],
  ['a copy over it', [[create(f)], [sh(`cp /w/best.json ${f}`)]], [], []],
  ['removed and written anew', [[create(f)], [sh(`rm ${f}`)], [create(f)]], [], []],
  ['an unknown target is no evidence', [[sh('echo x > /w/new.txt')]], [], []],
  ['not run', [[{ ...edit(f), files: [], closedBy: 'not_run' }]], [], []],
];

describe('blind-edit', () => {
  it.each(blind)('%s', (_, steps, expected) => expect(marks('blind-edit', steps)).toEqual(expected));

  it('names file and step', () => {
    const rows = verdicts([[open(f)], [sh(`sed -i s/a/b/ ${f}`)], [edit(f)]]);
    expect(rows[0]?.verdict).toMatchObject({
      hard: false,
      steps: [2],
      why: 'edit_file changes /w/a.py, which was not looked at since step 2 changed it.',
    });
  });
});

describe('blind-edit-strict', () => {
  it.each(blind)('%s', (_, steps, __, expected) => {
    expect(marks('blind-edit-strict', steps, 'apollo')).toEqual(expected);
  });
  it('is no part of the default set', () => {
    expect(marks('blind-edit-strict', [[edit(f)]])).toEqual([]);
  });
});

describe('the rule set', () => {
  it('has a version that depends on its rules, not on their order', () => {
    const set = ruleSetFor({}, noRuleSettings);
    const { rules } = set;
    expect(ruleSetVersion({ ...set, rules: [...rules].reverse() })).toBe(ruleSetVersion(set));
    expect(ruleSetVersion(ruleSetFor({}, noRuleSettings, 'apollo'))).not.toBe(ruleSetVersion(set));
    const next = rules.map(({ rule, parameters }) => ({
      rule: { ...rule, version: rule.version + 1 },
      parameters,
    }));
    expect(ruleSetVersion({ ...set, rules: next })).not.toBe(ruleSetVersion(set));
    expect(ruleSetVersion({ ...set, precedence: 'judge_over_rule' })).not.toBe(ruleSetVersion(set));
    expect(createRuleProjector().inForce({}, noRuleSettings).version).toBe(ruleSetVersion(set));
  });

  it('stays linear over a long run', () => {
    const time = (steps: number) => {
      const script = new RunScript(run).startSegment();
      for (let i = 0; i < steps; i += 1) {
        script.answer([
          i % 2 ? edit(`/w/${i % 500}/a.py`) : sh(`grep -rn x src/*.py /w/${i % 300}; cat a${i}.py`),
        ]);
      }
      const [created] = script.events;
      if (!created) throw new Error('no events');
      const fold = startRules(
        everyRule.map((rule) => ({ rule, parameters: rule.parameters })),
        created,
      );
      const started = performance.now();
      for (const event of script.events) fold.apply(event);
      return performance.now() - started;
    };
    time(1_000);
    const small = time(2_000);
    expect(time(16_000)).toBeLessThan(Math.max(400, 24 * small));
  });
});
