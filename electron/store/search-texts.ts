import type { RunEvent } from '@shared/events';
import type { StepTexts } from './search-snippet';

/** What the index holds of one step; both indexing and snippets use it. */
export function searchTexts(events: readonly RunEvent[], step: number): StepTexts {
  const texts: Record<keyof StepTexts, string[]> = { thought: [], arguments: [], observation: [], hint: [] };
  for (const event of events) {
    if (!('step' in event.body) || event.body.step !== step) {
      continue;
    }
    switch (event.kind) {
      case 'model.answered': {
        const { text, reasoning, calls, invalid } = event.body;
        texts.thought.push(text, reasoning);
        // Arguments of a valid call come with `action.started`, decoded.
        texts.arguments.push(
          ...calls.filter((_, index) => invalid[index] !== null).map((call) => call.arguments),
        );
        break;
      }
      case 'action.started':
        texts.arguments.push(event.body.name, ...Object.values(event.body.args).map(String));
        break;
      case 'action.observed':
        texts.observation.push(event.body.text, event.body.error?.message ?? '');
        break;
      case 'step.taught':
        texts.observation.push(event.body.text);
        break;
      case 'hint.delivered':
        texts.hint.push(...event.body.hints.map(({ text }) => text));
        break;
      default:
        break;
    }
  }
  const join = (parts: string[]) => parts.filter((part) => part !== '').join('\n');
  return {
    thought: join(texts.thought),
    arguments: join(texts.arguments),
    observation: join(texts.observation),
    hint: join(texts.hint),
  };
}
