/**
 * Where a row holds the model's reasoning: where the requests held it, nowhere, or on every step that has some although it was
 * not sent so.
 */
export const rowReasonings = ['as-sent', 'drop', 'keep'] as const;
export type RowReasoning = (typeof rowReasonings)[number];

/** What a preset does unless another way is chosen by name: APOLLO's data hold no reasoning. */
export function presetReasoning(preset: 'default' | 'apollo'): RowReasoning {
  return preset === 'apollo' ? 'drop' : 'as-sent';
}
