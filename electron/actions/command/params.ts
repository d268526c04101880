import { whyNoSessionName } from '../../computer/sessions/layout';
import type { ActionParam } from '../action';

/** Parameters that several command actions share. */
export const computerParam: ActionParam = {
  name: 'computer_ip',
  type: 'string',
  required: 'several',
  lenient: true,
  description: 'Computer to use.',
};

export const anyComputerParam: ActionParam = {
  name: 'computer_ip',
  type: 'string',
  description: 'Computer; all of them when omitted.',
};

/** Left out: the session that was used last, see `SessionDesk.existing`. */
export const sessionParam: ActionParam = {
  name: 'session_id',
  type: 'string',
  problem: whyNoSessionName,
  note: 'The session; when omitted, the one used last on that computer.',
};

/** The reference's transport settings: accepted, without effect. */
export const transportParams: readonly ActionParam[] = [
  { name: 'http_port', type: 'integer', ignored: true, description: 'Without effect.' },
  { name: 'use_proxy', type: 'boolean', ignored: true, description: 'Without effect.' },
];
