import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { estimateTokens } from '@shared/context/tokens';
import { toolOf } from '../../electron/actions/parse-call';
import { offeredActions } from '../../electron/actions/table';
import { actionTaskView } from '../../electron/actions/task-view';
import { promptHead } from '../../electron/runs/drive/prompt';
import { parseTaskYaml } from '../../electron/task/task-yaml';
import { type Bench, type Figure, figure, shorten, told } from '../harness';

const ROOT = '/home/ada/waymark/workspaces/demo/runs/01JD0000000000000000000000/work';
/** 60 % of what system prompt and tools of the demo task once took, at four characters a token. */
const CEILING = 2_190;
const UNITS_PER_TOKEN = 4;

/** Nothing is timed: what every request of the demo task pays before the first step. */
export const promptSize: Bench = {
  name: 'prompt-size',
  about: 'tokens of system prompt and tools of the demo task, at four characters each',
  async run() {
    const resourcesDir = join(process.cwd(), 'resources');
    const yaml = await readFile(join(resourcesDir, 'demo', 'task', 'task.yaml'), 'utf8');
    const { spec } = parseTaskYaml(yaml);
    if (spec === null) throw new Error('The demo task is not sound.');
    const view = actionTaskView(spec, ROOT);
    const tools = [...offeredActions(view).values()].map((action) => toolOf(action, view));
    const figures: Figure[] = [];
    for (const severalCalls of [false, true]) {
      const head = await promptHead(spec, {
        resourcesDir,
        workspaceRoot: ROOT,
        probed: null,
        taskHint: 'off' as const,
        severalCalls,
      });
      const text = `${head[0]?.content ?? ''}${JSON.stringify(tools)}`;
      const name = severalCalls ? 'prompt-size-several' : 'prompt-size';
      const detail = `${tools.length} tools; ${shorten(estimateTokens(text))} by the estimate that limits use`;
      // How runs are started is one call in each answer.
      const tokens = text.length / UNITS_PER_TOKEN;
      figures.push(
        severalCalls
          ? told(name, tokens, 'tokens', { detail })
          : figure(name, tokens, 'tokens', { is: '≤', value: CEILING }, { detail }),
      );
    }
    return figures;
  },
};
