import type { HintDelivery } from '../log/outbox';

export const nextStep: HintDelivery = { when: 'next_step' };

/** Whether a waiting hint goes out with the next request. */
export function isDue({ deliver, due }: { deliver: HintDelivery; due: string | null }): boolean {
  return deliver.when === 'next_step' || deliver.when === 'wake' || due !== null;
}

/** Whether two deliveries say the same; both as `hintDelivery` parses them. */
export function sameDelivery(one: HintDelivery, other: HintDelivery): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
