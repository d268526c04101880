import { describe } from 'vitest';
import { channelCases, type MakeTransport } from '../../../testing/ssh/connect-cases';
import { hostKeyCases } from '../../../testing/ssh/host-key-cases';
import { loginCases } from '../../../testing/ssh/login-cases';
import { namespacesMissing } from '../../../testing/ssh/namespaces';
import { wayCases } from '../../../testing/ssh/way-cases';
import { Ssh2Transport } from './ssh2-transport';

const make: MakeTransport = (alias, { configFile }, environment) =>
  new Ssh2Transport(alias, { configFile, environment });

describe.skipIf(namespacesMissing)(
  `ssh2 to a real host${namespacesMissing ? `: ${namespacesMissing}` : ''}`,
  () => {
    channelCases('ssh2', make);
    hostKeyCases('ssh2', make);
    loginCases('ssh2', make);
    wayCases('ssh2', make);
  },
);
