/**
 * Stands in for etcd where envtest or kwokctl start one beside kube-apiserver: it answers as healthy, and tells
 * the kube-apiserver of `everwatch envtest` which directory is its own, and whether that is synced. So the state of a control plane is
 * where it would be with etcd: a kube-apiserver that is started again finds it, and it goes with the
 * directory. It loads nothing of the server, because a suite waits until it answers.
 *
 * In etcd: server/etcdserver/api/etcdhttp/health.go and version.go.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { http1Server } from '../../listener/request-head.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { parseEtcdFlags } from './etcd-flags.ts';
import { keptDirectory } from './kept-logs.ts';
import { ETCD_VERSION, SERVER_DIRECTORY_PATH, type ToldByEtcd } from './stand-in-answers.ts';

const ONLY_OWNER = 0o700;

/** An etcd that listens. */
export interface ListeningEtcd {
  /** What it tells kube-apiserver. */
  readonly directory: string;
  /** Resolves behind its first answer. */
  readonly isAsked: Promise<void>;
}

/** Settles when it listens, which it does until the process ends. @throws StartupError */
export async function standInForEtcd(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ListeningEtcd> {
  const { listen, dataDir, isSynced } = parseEtcdFlags(argv);
  const directory = keptDirectory(environment, process.cwd()) ?? resolve(dataDir);
  makeDirectory(directory);
  let tellAsked = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => {
    tellAsked = resolve;
  });
  const server = (): Server =>
    http1Server({}, (request, response) => {
      response.once('finish', tellAsked);
      answer(request, response, { directory, isSynced });
    });
  await Promise.all(listen.map((place) => opened(server(), place)));
  return { directory, isAsked };
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: ONLY_OWNER });
  } catch (cause) {
    throw new StartupError(`cannot make ${directory}: ${systemProblem(cause)}`, { cause });
  }
}

function opened(server: Server, place: { host: string; port: number }): Promise<void> {
  return new Promise((listening, failed) => {
    server.once('error', (cause) => {
      const where = `${place.host}:${String(place.port)}`;
      failed(new StartupError(`cannot listen on ${where}: ${systemProblem(cause)}`, { cause }));
    });
    server.listen(place.port, place.host, listening);
  });
}

const HEALTHY = JSON.stringify({ health: 'true', reason: '' });
const VERSION = JSON.stringify({ etcdserver: ETCD_VERSION, etcdcluster: '3.6.0' });

function answer({ url, method }: IncomingMessage, response: ServerResponse, told: ToldByEtcd) {
  const path = (url ?? '').split('?', 1)[0];
  const text = method === 'GET' || method === 'HEAD' ? textAt(path, told) : undefined;
  response.statusCode = text === undefined ? 404 : 200;
  response.end(text ?? '404 page not found\n');
}

function textAt(path: string | undefined, told: ToldByEtcd): string | undefined {
  switch (path) {
    case '/health':
      return HEALTHY;
    case '/livez':
    case '/readyz':
      return 'ok\n';
    case '/version':
      return VERSION;
    case SERVER_DIRECTORY_PATH:
      return JSON.stringify(told);
    default:
      return undefined;
  }
}
