/**
 * Which command lines of kube-apiserver want a process of their own. A control plane in a shared process is a whole
 * server with options of its own; it has no working directory, no standard output as a file, no environment
 * and no heap of its own.
 */
import { SERVE_SETTINGS } from '../../../flags/serve-settings.ts';

interface Given {
  readonly flag: string;
  readonly value: string;
}

const NEEDS_ENVIRONMENT = 'a kubeconfig in it may run a program, with the environment of the suite';
const SHOWS_PROCESS = 'it shows the process, in which there are other control planes';

const WHY: ReadonlyMap<string, string> = new Map([
  ['config', 'the file may say anything'],
  ['debug-socket-path', SHOWS_PROCESS],
  ['profiling', SHOWS_PROCESS],
  ['enable-logs-handler', 'it shows files of the machine, as the process may read them'],
  ['admission-control-config-file', NEEDS_ENVIRONMENT],
  ['audit-webhook-config-file', NEEDS_ENVIRONMENT],
  ['authentication-token-webhook-config-file', NEEDS_ENVIRONMENT],
  ['authorization-config', NEEDS_ENVIRONMENT],
  ['authorization-webhook-config-file', NEEDS_ENVIRONMENT],
  ['egress-selector-config-file', 'its ways are those of the process'],
  ['tracing-config-file', 'spans are those of the process'],
  ['workers', 'workers are processes of one server'],
]);

/** Flags that say no to what they name. */
const NO = new Set(['false', 'False', 'FALSE', 'f', 'F', '0']);
const PLACES = /^(?:FILE|DIR|SOCKET|CERT,KEY)/;
const PATHS: ReadonlySet<string> = new Set(
  SERVE_SETTINGS.filter(({ placeholder }) => PLACES.test(placeholder)).map(({ flag }) => flag),
);

/** @returns the flag and why, as a sentence; undefined: the process can be shared. */
export function whyAlone(argv: readonly string[]): string | undefined {
  for (const { flag, value } of givenIn(argv)) {
    const why = WHY.get(flag);
    if (why !== undefined && !NO.has(value)) return `--${flag}: ${why}`;
    if (flag === 'audit-log-path' && value === '-') {
      return '--audit-log-path=-: standard output is that of the process';
    }
    if (PATHS.has(flag) && pathsIn(value).some((path) => !path.startsWith('/'))) {
      return `--${flag}=${value}: the path is not absolute`;
    }
  }
  return undefined;
}

function pathsIn(value: string): string[] {
  return value.split(/[,:]/).filter((path) => path !== '' && path !== '-');
}

function givenIn(argv: readonly string[]): Given[] {
  return argv.flatMap((word, at) => {
    const [, flag = '', value] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (flag === '') return [];
    const next = argv[at + 1] ?? '';
    return [{ flag, value: value ?? (next.startsWith('--') ? '' : next) }];
  });
}
