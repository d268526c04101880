import { writesTemplates } from '@shared/runs/detectors/template-thought';
import { baseName, inlineCode, sameFile, shortCommand } from '../command-facts';
import { rule } from '../rule';

/** Files remembered, at most. */
const FILES = 500;

/** The part of the detector of that name that is about training data; off outside of the preset of the paper. */
export const templateThought = rule({
  id: 'template-thought',
  version: 1,
  effect: 'mask',
  hard: false,
  on: false,
  text: 'Code that makes reasoning for training data by pasting question and answer into a fixed sentence is written or run.',
  citation: 'APOLLO appendix E, priority 9: "Design a CoT format instead of generate CoT via LLM"',
  parameters: {},
  hears: ['action.observed'],
  start: () => {
    const files = new Map<string, number>();
    return (_event, { writes, command }) => {
      const found = [];
      for (const { path, step, text, added } of writes) {
        const templates = writesTemplates(text ?? added);
        if (!templates) files.delete(path);
        else {
          files.set(path, step);
          const oldest = files.keys().next().value;
          if (files.size > FILES && oldest !== undefined) files.delete(oldest);
          if (writesTemplates(added))
            found.push({ step, why: `Writes reasoning from a mould into ${baseName(path)}.`, steps: [] });
        }
      }
      if (command === null) return found;
      if (writesTemplates(inlineCode(command))) {
        const why = `Makes reasoning from a mould: ${shortCommand(command.text)}`;
        found.push({ step: command.step, why, steps: [] });
      }
      for (const script of files.size === 0 ? [] : command.scripts) {
        const [path, at] = [...files].find(([each]) => sameFile(each, script)) ?? [];
        if (path !== undefined && at !== undefined && at < command.step) {
          const why = `Runs ${baseName(path)}, which makes reasoning from a mould.`;
          found.push({ step: command.step, why, steps: [at] });
        }
      }
      return found;
    };
  },
});
