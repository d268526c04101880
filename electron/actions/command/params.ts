import type { ActionParam } from '../action';

/** Parameters that several command actions share. */
export const computerParam: ActionParam = {
  name: 'computer_ip',
  type: 'string',
  required: 'several',
  description: 'Name of the computer, as listed in the task.',
};

export const anyComputerParam: ActionParam = {
  name: 'computer_ip',
  type: 'string',
  description: 'Name of the computer; all computers when left out.',
};

export const sessionParam: ActionParam = {
  name: 'session_id',
  type: 'string',
  required: true,
  description: 'Name of the session.',
};

/** The reference's transport settings: accepted, without effect. */
export const transportParams: readonly ActionParam[] = [
  { name: 'http_port', type: 'integer', ignored: true, description: 'Without effect.' },
  { name: 'use_proxy', type: 'boolean', ignored: true, description: 'Without effect.' },
];
