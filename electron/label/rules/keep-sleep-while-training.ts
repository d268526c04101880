import type { EventBody } from '@shared/log/events';
import { SLEEPS, shortSleeps } from '@shared/runs/detectors/short-sleeps';
import { commandName } from '@shared/shell/shell-command';
import { computingIn } from '../computing';
import type { OwnJob } from '../job-sight';
import { anyOf, type Finding, listOf, rule } from '../rule';
import { StepKeep, speaksAgainst } from '../step-keep';

export const keepSleepWhileTraining = rule({
  id: 'keep-sleep-while-training',
  version: 3,
  effect: 'keep',
  hard: false,
  on: true,
  text: 'The agent sleeps while its own training or inference runs; not the third sleep under 120 s in a row.',
  citation: 'APOLLO appendix E, essential to keep: "The \'sleep\' actions during training/inference"',
  /** Expressions for commands that train or infer. */
  parameters: {
    jobs: [
      '\\btrain',
      '\\bfinetun',
      '\\btorchrun\\b',
      '\\bsft\\b',
      '\\bgrpo\\b',
      '\\bppo\\b',
      '\\bdpo\\b',
      'infer',
      'generat',
      'predict',
      'rollout',
      'vllm',
      'evaluat',
      'benchmark',
    ],
  },
  hears: ['action.observed'],
  start: (_task, parameters) => {
    const matches = anyOf(listOf(parameters, 'jobs'));
    const keep = new StepKeep();
    /** Short sleeps that came one after the other, with nothing but looks between them. */
    let short = 0;
    return (event, facts) => {
      if (event.kind !== 'action.observed') return [];
      short = shortSleeps(short, event.body);
      return keep.take(
        slept(event.body, facts.jobs) ?? (speaksAgainst(event.body, facts) ? 'against' : 'nothing'),
        facts,
      );
    };

    function slept(
      { name, ok, step, data }: EventBody<'action.observed'>,
      jobs: readonly OwnJob[],
    ): Finding | null {
      if (name !== 'sleep' || !ok || data.held === true || short >= SLEEPS) return null;
      const job = jobs.find(({ command }) => computingIn(command.simples, matches).length > 0);
      if (job === undefined) return null;
      return { step, why: `${nameOf(job)} of step ${job.step} was running.`, steps: [job.step] };
    }
  },
});

function nameOf({ command }: OwnJob): string {
  const simple = command.simples.find((each) => !/^(?:cd|export|)$/.test(commandName(each)));
  const words = (simple?.argv ?? []).slice(0, 2).map((word) => word ?? '…');
  return words.length === 0 ? 'The job' : words.join(' ');
}
