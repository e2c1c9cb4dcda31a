/** Where a server listens. */
import { parseAddress, parsePort } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface ListeningSettings {
  readonly bindAddress: string;
  /** 0: any free port. */
  readonly securePort: number;
}

export const LISTENING_SETTINGS: SettingsOf<ListeningSettings> = {
  bindAddress: {
    flag: 'bind-address',
    placeholder: 'IP',
    help: 'the address to listen on; 0.0.0.0 or :: for all of this machine',
    takes: 'text',
    default: '127.0.0.1',
    parse: parseAddress,
  },
  securePort: {
    flag: 'secure-port',
    placeholder: 'PORT',
    help: 'the port to serve HTTPS on; 0 takes any free one',
    takes: 'text',
    default: '6443',
    parse: parsePort,
  },
};
