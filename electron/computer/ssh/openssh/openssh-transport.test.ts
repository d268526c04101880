import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { channelCases, type MakeTransport } from '../../../testing/ssh/connect-cases';
import { hostKeyCases } from '../../../testing/ssh/host-key-cases';
import { loginCases } from '../../../testing/ssh/login-cases';
import { namespacesMissing } from '../../../testing/ssh/namespaces';
import { wayCases } from '../../../testing/ssh/way-cases';
import { OpenSshTransport } from './openssh-transport';

const askFolder = mkdtempSync(join(tmpdir(), 'ask-'));
const askpassProgram = resolve(import.meta.dirname, '../../../../resources/askpass/askpass');

const make: MakeTransport = (alias, { configFile }, environment) =>
  new OpenSshTransport(alias, { configFile, environment, askpassProgram, askFolder });

describe.skipIf(namespacesMissing)(
  `OpenSSH to a real host${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    channelCases('openssh', make);
    hostKeyCases('openssh', make);
    loginCases('openssh', make);
    wayCases('openssh', make);
  },
);
