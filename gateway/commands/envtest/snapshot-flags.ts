/**
 * The command lines of etcdctl and etcdutl that kwokctl writes, of which the `etcdctl` and `etcdutl` of `everwatch envtest` take two:
 * `snapshot save FILE` and `snapshot restore FILE`.
 *
 * In etcd: etcdctl/ctlv3/command/snapshot_command.go, etcdutl/etcdutl/snapshot_command.go.
 */
import { parseArgs } from 'node:util';
import { StartupError } from '../../process/startup-error.ts';

/** What is asked for. */
export type SnapshotCommand =
  /** @see toldByEtcd which is asked at `etcd`, a URL. */
  | { readonly type: 'save'; readonly file: string; readonly etcd: string }
  /** `dataDirectory` is that of an etcd, which must be new or empty. */
  | { readonly type: 'restore'; readonly file: string; readonly dataDirectory: string };

const ENDPOINT_DEFAULT = '127.0.0.1:2379';

/** Those that take a value, so that it is no word of the command. */
const WITH_VALUE = [
  ...['endpoints', 'data-dir', 'name', 'initial-cluster', 'initial-cluster-token', 'wal-dir'],
  ...['initial-advertise-peer-urls', 'dial-timeout', 'command-timeout', 'cacert', 'cert', 'key'],
  ...['user', 'password', 'write-out', 'bump-revision'],
];

/** The help of both. */
export const SNAPSHOT_HELP = `Usage: etcdctl [flags] snapshot save FILE
       etcdutl snapshot restore FILE --data-dir DIR

Save and restore the control plane of the etcd that \`everwatch envtest\` has made. A snapshot is an
archive of its log, as \`everwatch export\` writes it: all objects, with their uids, versions and
history. There are no keys of etcd, so there are no other commands.

  --endpoints '${ENDPOINT_DEFAULT}'
        where the etcd answers; also ETCDCTL_ENDPOINTS
  --data-dir 'default.etcd'
        the directory for an etcd, which must be new or empty
`;

/** @throws StartupError for any other command. */
export function parseSnapshotCommand(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SnapshotCommand {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(WITH_VALUE.map((name) => [name, { type: 'string' as const }])),
    strict: false,
    allowPositionals: true,
  });
  const [group, verb, file, ...rest] = positionals;
  if (group !== 'snapshot' || (verb !== 'save' && verb !== 'restore')) {
    throw new StartupError(
      `'${positionals.join(' ')}': there are no keys of etcd here, only snapshot save and snapshot restore`,
    );
  }
  if (file === undefined || rest.length > 0) {
    throw new StartupError(`snapshot ${verb} takes one file`);
  }
  const text = (name: string): string | undefined =>
    typeof values[name] === 'string' && values[name] !== '' ? values[name] : undefined;
  if (verb === 'restore') {
    return { type: verb, file, dataDirectory: text('data-dir') ?? 'default.etcd' };
  }
  const endpoints = text('endpoints') ?? environment['ETCDCTL_ENDPOINTS'] ?? ENDPOINT_DEFAULT;
  const [first = ''] = endpoints.split(',');
  return { type: verb, file, etcd: first.includes('://') ? first : `http://${first}` };
}
