import { guidelineKeeps, guidelinePrinciple, keepCodes } from '@shared/labels/guideline';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { show } from '../../page-fixtures';
import { GuidelinePanel } from './GuidelinePanel';

test('the guideline says the four that are kept and the principle, whatever point is open', () => {
  show(<GuidelinePanel detail={undefined} />);
  const panel = screen.getByRole('region', { name: 'Guideline' });
  const inPanel = within(panel);
  const rules = inPanel.getAllByRole('button', { expanded: false });
  expect(rules).toHaveLength(9);
  for (const rule of [undefined, ...rules]) {
    if (rule !== undefined) fireEvent.click(rule);
    expect(inPanel.getByRole('heading', { name: 'Essential to keep' })).toBeTruthy();
    const terms = inPanel.getAllByRole('term').map((term) => term.firstChild?.textContent);
    expect(terms).toEqual([
      'Sleeping while something runs',
      'Systematic debugging',
      'Exploration',
      'Backups',
    ]);
    expect(inPanel.getAllByRole('definition').map((each) => each.textContent)).toEqual(
      guidelineKeeps.map(({ text }) => text),
    );
    expect(terms).toHaveLength(keepCodes.length);
    const title = inPanel.getByRole('heading', { name: 'Tolerant to decisions, strict to their execution' });
    expect(title.nextElementSibling?.textContent).toBe(guidelinePrinciple.text);
  }
});
