import { exportTargets } from '@shared/contract/export-targets';
import { expect, it } from 'vitest';
import { loadTarget, targetFormats } from './table';

it.each(targetFormats)('the window offers of %s what the target takes', async (format) => {
  const { compressions, argumentsForm } = await loadTarget(format);
  const offered = exportTargets.find((target) => target.format === format);
  expect({ compressions: [...(offered?.compressions ?? [])], argumentsForm: offered?.argumentsForm }).toEqual(
    {
      compressions: [...compressions],
      argumentsForm,
    },
  );
});
