import { afterEach } from 'vitest';
import { type ScriptedModel, type ScriptedPolicy, startScriptedModel } from '../model/scripted-server';
import { LoopStand, type StandOptions } from './loop-stand';

export interface LoopStands {
  /** Those of this test, in the order they were started. */
  models: ScriptedModel[];
  stand(policy: ScriptedPolicy, options?: Omit<StandOptions, 'model'>): Promise<LoopStand>;
}

/** Loops for the tests of one file, each with a scripted model of its own, which is closed after the test. */
export function loopStands(): LoopStands {
  const models: ScriptedModel[] = [];
  afterEach(async () => {
    await Promise.all(models.splice(0).map((model) => model.close()));
  });
  return {
    models,
    stand: async (policy, options = {}) => {
      const model = await startScriptedModel({ policy });
      models.push(model);
      return new LoopStand({ model, ...options });
    },
  };
}
