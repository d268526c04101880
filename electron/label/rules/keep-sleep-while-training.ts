import { commandName } from '@shared/shell-command';
import { computingIn } from '../computing';
import type { OwnJob } from '../job-sight';
import { anyOf, listOf, type Rule } from '../rule';

export const keepSleepWhileTraining: Rule = {
  id: 'keep-sleep-while-training',
  version: 1,
  effect: 'keep',
  hard: false,
  on: true,
  text: 'The agent sleeps while its own training or inference runs.',
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
  start: (_task, parameters) => {
    const matches = anyOf(listOf(parameters, 'jobs'));
    return (event, { jobs, alone }) => {
      if (!alone || event.kind !== 'action.observed' || event.body.name !== 'sleep' || !event.body.ok)
        return [];
      const job = jobs.find(({ command }) => computingIn(command.simples, matches).length > 0);
      if (job === undefined) return [];
      return [
        { step: event.body.step, why: `${nameOf(job)} of step ${job.step} was running.`, steps: [job.step] },
      ];
    };
  },
};

function nameOf({ command }: OwnJob): string {
  const simple = command.simples.find((each) => !/^(?:cd|export|)$/.test(commandName(each)));
  const words = (simple?.argv ?? []).slice(0, 2).map((word) => word ?? '…');
  return words.length === 0 ? 'The job' : words.join(' ');
}
