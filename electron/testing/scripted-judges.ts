import type { ScriptedAnswer, ScriptedRequest } from '../model/scripted-answer';

/** What a request asks of a judge: the numbers of the turns, and the text of each that is shown. */
export interface AskedTurns {
  asked: number[];
  texts: Map<number, string>;
}

/** Read from the prompt as a model would read it, by the mark that its first line names. */
export function askedTurns({ messages }: Pick<ScriptedRequest, 'messages'>): AskedTurns {
  const content = String(messages.at(-1)?.content);
  const mark = /^Each turn begins with <turn-(\w+) /.exec(content)?.[1] ?? '';
  const turns = content.matchAll(
    new RegExp(`<turn-${mark} number="(\\d+)"[^>]*>\\n([\\s\\S]*?)\\n</turn-${mark}>`, 'g'),
  );
  const texts = new Map([...turns].map(([, number, text]) => [Number(number), text ?? '']));
  const asked = /Judge turns? ([\d, ]+)\.$/.exec(content)?.[1] ?? '';
  return { asked: asked.split(', ').map(Number), texts };
}

type Decide = (step: number, text: string) => 'keep' | 'mask' | null;

/** A judge that says what `decide` says of each turn, and nothing of those it says null of. */
export function judgeAnswer(request: ScriptedRequest, decide: Decide): ScriptedAnswer {
  const { asked, texts } = askedTurns(request);
  const turns = asked.flatMap((turn) => {
    const verdict = decide(turn, texts.get(turn) ?? '');
    const reason = verdict === 'mask' ? 'blind-edit' : 'sound';
    const rest = { reason, confidence: 0.9, why: 'Because.', cites: [] };
    return verdict === null ? [] : [{ turn, verdict, ...rest }];
  });
  return { calls: [{ name: 'judge_turns', arguments: { turns } }] };
}

/** What a request for a rating shows. */
export interface AskedStep {
  step: number;
  prompt: string;
  answer: string;
  next: string;
}

/** Read as a model would read it, by the mark that the first line names. */
export function askedStep({ messages }: Pick<ScriptedRequest, 'messages'>): AskedStep {
  const content = String(messages.at(-1)?.content);
  const mark = /^Each part begins with <NAME-(\w+)>/.exec(content)?.[1] ?? '';
  const part = (name: string) => {
    const begins = `<${name}-${mark}>\n`;
    const from = content.indexOf(begins) + begins.length;
    return content.slice(from, content.indexOf(`\n</${name}-${mark}>`, from));
  };
  const step = Number(/Rate step (\d+)\.$/.exec(content)?.[1]);
  return { step, prompt: part('prompt'), answer: part('step'), next: part('next') };
}
