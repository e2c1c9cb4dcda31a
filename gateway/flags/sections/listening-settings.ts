/** Where a server listens, and as what others know the place. */
import { StartupError } from '../../process/startup-error.ts';
import { parseAddress, parseBoolean, parsePort, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface ListeningSettings {
  readonly bindAddress: string;
  /** 0: any free port. */
  readonly securePort: number;
  /** The address by which others reach this server; undefined: --bind-address. */
  readonly advertiseAddress: string | undefined;
  /** The port at that address; undefined: the one that is open. */
  readonly advertisePort: number | undefined;
  /** The name by which clients outside reach this server; undefined: the address. */
  readonly externalHostname: string | undefined;
  /** Whether another process may listen on the same port. */
  readonly permitPortSharing: boolean;
  readonly disableHttp2: boolean;
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
  advertiseAddress: {
    flag: 'advertise-address',
    placeholder: 'IP',
    help: 'the address by which members of the cluster reach this server; without it --bind-address',
    takes: 'text',
    default: undefined,
    parse: parseAddress,
  },
  advertisePort: {
    flag: 'advertise-port',
    placeholder: 'PORT',
    help: 'the port at that address, where it is another than --secure-port; k3s gives it',
    takes: 'text',
    default: undefined,
    parse: parsePort,
  },
  externalHostname: {
    flag: 'external-hostname',
    placeholder: 'NAME',
    help: 'the name in URLs for clients outside, as in the OpenID configuration; without it the address',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  permitPortSharing: {
    flag: 'permit-port-sharing',
    placeholder: 'BOOLEAN',
    help: 'whether another process may listen on the same port (SO_REUSEPORT), as in an exchange of one server for the next; needs Node 22.12',
    takes: 'boolean',
    default: 'false',
    parse: parsePortSharing,
  },
  disableHttp2: {
    flag: 'disable-http2-serving',
    placeholder: 'BOOLEAN',
    help: 'whether clients get HTTP/1.1 only',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};

/** The first release of Node that can share a port. */
const SHARING = { major: 22, minor: 12 };

function parsePortSharing(text: string): boolean {
  const isShared = parseBoolean(text);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isAble = major > SHARING.major || (major === SHARING.major && minor >= SHARING.minor);
  if (!isShared || isAble) return isShared;
  throw new StartupError(`needs Node 22.12 or newer, and this is ${process.version}`);
}
