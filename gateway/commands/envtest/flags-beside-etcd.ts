/**
 * What the `kube-apiserver` of `everwatch envtest` is told beside the flags that a suite gives: the directory
 * that the etcd of the suite names, that it may be reset, that many may run side by side, and no controllers. A suite that is none of envtest
 * needs no etcd where it names a data directory itself. A suite for envtest relies on nothing being
 * collected: it looks at owner references of dependents that are still there.
 */
import { StartupError } from '../../process/startup-error.ts';
import { toldByEtcd } from './ask-etcd.ts';
import { logDirectory, PREFIX_DEFAULT } from './log-directory.ts';

/** The variable that switches controllers on: what `--controllers` takes. */
export const CONTROLLERS_VARIABLE = 'EVERWATCH_CONTROLLERS';

const NO_CONTROLLERS = '-*';

/** What a kube-apiserver is told beside what the suite says. */
export interface Beside {
  /** Of `serve`, before those of the suite. */
  readonly flags: readonly string[];
  /** Of the etcd of the suite, as it tells it; undefined: it was not asked. */
  readonly dataDirectory: string | undefined;
}

/** @throws StartupError */
export async function flagsBeside(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Beside> {
  if (argv.some((word) => /^(?:--(?:version|help)(?:=|$)|-h$)/.test(word))) {
    return { flags: [], dataDirectory: undefined };
  }
  const [server = ''] = (lastOf(argv, 'etcd-servers') ?? '').split(',');
  const own = ownFlags(environment);
  if (server === '' && lastOf(argv, 'data-dir') !== undefined) {
    return { flags: [...own, '--unsafe-no-fsync=true'], dataDirectory: undefined };
  }
  if (server === '') throw new StartupError('--etcd-servers must be specified');
  const { directory: dataDirectory, isSynced } = await toldByEtcd({
    ...{ flag: '--etcd-servers', server, isAwaited: true },
  });
  const prefix = lastOf(argv, 'etcd-prefix') ?? PREFIX_DEFAULT;
  return {
    flags: [
      ...[`--data-dir=${logDirectory(dataDirectory, prefix)}`, ...own],
      `--unsafe-no-fsync=${String(!isSynced)}`,
    ],
    dataDirectory,
  };
}

/** What every control plane of a suite is told. */
export function ownFlags(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const given = environment[CONTROLLERS_VARIABLE] ?? '';
  const controllers = given === '' ? NO_CONTROLLERS : given;
  return [`--controllers=${controllers}`, '--allow-reset=true', '--memory-footprint=small'];
}

/** What a flag was given last: `--flag=value` or `--flag value`. */
function lastOf(argv: readonly string[], flag: string): string | undefined {
  const name = `--${flag}`;
  const texts = argv.flatMap((word, at) => {
    if (word.startsWith(`${name}=`)) return [word.slice(name.length + 1)];
    return word === name ? [argv[at + 1] ?? ''] : [];
  });
  return texts.at(-1);
}
