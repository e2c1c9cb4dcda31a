/**
 * What the `kube-apiserver` of `everwatch envtest` is told beside the flags that a suite gives: the directory
 * that the etcd of the suite names, that it may be reset, that many may run side by side, and no controllers. A suite that is none of envtest
 * needs no etcd where it names a data directory itself. A suite for envtest relies on nothing being
 * collected: it looks at owner references of dependents that are still there.
 */
import { get } from 'node:http';
import { join } from 'node:path';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { SERVER_DIRECTORY_PATH, type ToldByEtcd } from './stand-in-answers.ts';

/** The variable that switches controllers on: what `--controllers` takes. */
export const CONTROLLERS_VARIABLE = 'EVERWATCH_CONTROLLERS';

const NO_CONTROLLERS = '-*';
const PREFIX_DEFAULT = '/registry';
const TIMEOUT_MS = 10_000;
/** A path of Linux has 4,096 bytes at most. */
const ANSWER_BYTES_MAX = 16 * 1_024;

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
  const { directory: dataDirectory, isSynced } = await toldBy(server);
  const prefix = encodeURIComponent(lastOf(argv, 'etcd-prefix') ?? PREFIX_DEFAULT);
  return {
    flags: [
      ...[`--data-dir=${join(dataDirectory, 'everwatch', prefix)}`, ...own],
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

async function toldBy(server: string): Promise<ToldByEtcd> {
  const base = URL.canParse(server) ? new URL(server) : undefined;
  const { status, text } =
    base?.protocol === 'http:'
      ? await answerOf(new URL(SERVER_DIRECTORY_PATH, base))
      : { status: 0, text: '' };
  // Both programs are of one build.
  if (status === 200 && text.startsWith('{')) return JSON.parse(text) as ToldByEtcd;
  throw new StartupError(
    `--etcd-servers: ${server} is not the etcd of \`everwatch envtest\`; use both programs of its ` +
      'directory, or `everwatch serve` without etcd',
  );
}

function answerOf(url: URL): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: TIMEOUT_MS, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > ANSWER_BYTES_MAX) response.destroy();
      });
      response.on('close', () => {
        resolve({ status: response.complete ? (response.statusCode ?? 0) : 0, text });
      });
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', (cause) => {
      const what = `cannot ask ${url.origin}: ${systemProblem(cause)}`;
      reject(new StartupError(`--etcd-servers: ${what}`, { cause }));
    });
  });
}
