/** Asks the `etcd` of `everwatch envtest` what it tells the programs beside it. */
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { SERVER_DIRECTORY_PATH, type ToldByEtcd } from './stand-in-answers.ts';

const TIMEOUT_MS = 10_000;
/** A path of Linux has 4,096 bytes at most. */
const ANSWER_BYTES_MAX = 16 * 1_024;

/** As long as kube-apiserver waits for an etcd: `dialTimeout` in apiserver/pkg/storage/storagebackend/factory/etcd3.go. */
const WAIT_MS = 20_000;
const AGAIN_MS = 50;

/** What is asked, and where. */
export interface EtcdQuestion {
  /** That names the server, for what goes wrong. */
  readonly flag: string;
  /** A URL. */
  readonly server: string;
  /** Whether it may be on its way: kwokctl starts both programs in one moment. */
  readonly isAwaited: boolean;
}

/** @throws StartupError where there is none, or another etcd. */
export async function toldByEtcd({ flag, server, isAwaited }: EtcdQuestion): Promise<ToldByEtcd> {
  const base = URL.canParse(server) ? new URL(server) : undefined;
  const end = performance.now() + (isAwaited ? WAIT_MS : 0);
  const { status, text } =
    base?.protocol === 'http:'
      ? await answerBefore(end, flag, new URL(SERVER_DIRECTORY_PATH, base))
      : { status: 0, text: '' };
  // Both programs are of one build.
  if (status === 200 && text.startsWith('{')) return JSON.parse(text) as ToldByEtcd;
  throw new StartupError(
    `${flag}: ${server} is not the etcd of \`everwatch envtest\`; use both programs of its ` +
      'directory, or `everwatch serve` without etcd',
  );
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function answerBefore(end: number, flag: string, url: URL): Promise<Answer> {
  for (;;) {
    try {
      return await answerOf(url);
    } catch (cause) {
      const isComing = cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
      if (!isComing || performance.now() >= end) {
        const what = `cannot ask ${url.origin}: ${systemProblem(cause)}`;
        throw new StartupError(`${flag}: ${what}`, { cause });
      }
      await pause(AGAIN_MS);
    }
  }
}

function answerOf(url: URL): Promise<Answer> {
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
    request.on('error', reject);
  });
}
