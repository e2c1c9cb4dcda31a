/**
 * The flags of etcd that suites give to the `etcd` of `everwatch envtest`. Three of them have an effect:
 * where it listens, where the control plane keeps its data, and whether it syncs them.
 *
 * In etcd: server/embed/config.go.
 */
import { StartupError } from '../../process/startup-error.ts';

/** What the stand-in for etcd is told. */
export interface EtcdFlags {
  /** Of `--listen-client-urls`: host and port. */
  readonly listen: readonly { readonly host: string; readonly port: number }[];
  /** As it was given: of etcd itself, so relative to the working directory. */
  readonly dataDir: string;
  /** Whether the log of the control plane is synced: `--unsafe-no-fsync` says that it is not. */
  readonly isSynced: boolean;
}

const DATA_DIR = 'data-dir';
const NO_FSYNC = 'unsafe-no-fsync';
const CLIENT_URLS = 'listen-client-urls';
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  [DATA_DIR, 'default.etcd'],
  [CLIENT_URLS, 'http://localhost:2379'],
]);

/** The help, in which envtest looks for `--unsafe-no-fsync`. */
export const ETCD_HELP = `Usage: etcd [flags]

Stands in for etcd where the kube-apiserver beside it is Everwatch, which keeps its log in the
data directory. Flags of etcd that are not listed are taken and have no effect.

  --data-dir 'default.etcd'
        the directory in which the log of the control plane lies
  --listen-client-urls 'http://localhost:2379'
        where /health, /readyz, /livez and /version are answered, by plain HTTP
  --advertise-client-urls, --listen-peer-urls, --name
        without effect: there are no members
  --unsafe-no-fsync 'false'
        whether writes are acknowledged that are not on disk yet, as envtest has it
`;

/** @throws StartupError where a flag has no value, or an address cannot be listened on. */
export function parseEtcdFlags(argv: readonly string[]): EtcdFlags {
  const texts = new Map(DEFAULTS);
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === '') throw new StartupError(`'${word}' is not a valid flag`);
    const takesNext = value === undefined && rest[0] !== undefined && !rest[0].startsWith('-');
    texts.set(name, value ?? (takesNext ? (rest.shift() ?? '') : 'true'));
  }
  const urls = (texts.get(CLIENT_URLS) ?? '').split(',');
  return {
    listen: urls.map(placeOf),
    dataDir: texts.get(DATA_DIR) ?? '',
    isSynced: texts.get(NO_FSYNC) !== 'true',
  };
}

function placeOf(text: string): { readonly host: string; readonly port: number } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:') {
    throw new StartupError(`--${CLIENT_URLS}: expected http://HOST:PORT, not ${text}`);
  }
  return { host: url.hostname.replaceAll(/^\[|\]$/g, ''), port: Number(url.port || '80') };
}
