/**
 * A worker: a server whose log is owned by the primary process. It stops when the primary says so, and not by
 * signals, which a terminal sends to all processes at once; where the primary is gone it ends, and with it the
 * pipe over which it appends.
 */
import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import { mkdir, realpath } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import {
  DataDirectoryInUseError,
  lockDirectory,
} from '../../../../streams/embedded/directory-lock.ts';
import { SharedEnd } from '../../../../streams/workers/shared-end.ts';
import { WorkerEventLog } from '../../../../streams/workers/worker-event-log.ts';
import type { StorageSettings } from '../../../flags/sections/storage-settings.ts';
import type { ServeOptions } from '../../../flags/serve-settings.ts';
import { StartupError } from '../../../process/startup-error.ts';
import { systemClock } from '../../../process/system-clock.ts';
import {
  processHost,
  type ReadFigures,
  type ServerHost,
} from '../../../server/lifecycle/server-host.ts';
import type { OpenLog } from '../../../server/log/open-log.ts';
import { startServer } from '../../../server/server.ts';
import { limitCompiler, limitOld, limitYoung } from '../collector.ts';
import { serveIn } from '../serve.ts';
import { figuresOfAll } from './figures-of-all.ts';
import {
  LOG_END,
  LOG_PIPE,
  REPLACES,
  type ToldPrimary,
  type ToldWorker,
  WORKER_NUMBER,
} from './worker-words.ts';

/** How long the one that had this place before may take to be gone. */
const FORMER_MS = 30_000;
const LOOK_AGAIN_MS = 20;
/** The objects in there include Secrets. */
const ONLY_OWNER = 0o700;
const NONE: ReadonlySet<string> = new Set();

/** Starts it; it runs until the primary stops it, or is gone. @throws StartupError */
export async function serveAsWorker(options: ServeOptions): Promise<void> {
  const { memoryFootprint } = options.lifecycle;
  limitYoung(memoryFootprint);
  limitCompiler(memoryFootprint);
  const number = Number(process.env[WORKER_NUMBER]);
  const isFirst = number === 1 && process.env[REPLACES] === undefined;
  let isStarting = true;
  const host = workerHost(() => isStarting && !isFirst);
  const log = await openWorkerLog(options.log, number);
  const own = optionsOfWorker(options, number);
  // The first leaves the kubeconfig, and says where it is.
  if (isFirst) await serveIn(host, own, log);
  else await startServer(own, { host, log });
  isStarting = false;
  limitOld(memoryFootprint);
  tell({ type: 'ready' });
}

function tell(word: ToldPrimary): void {
  process.send?.(word);
}

/**
 * Limits of a server hold for all of its workers together; a file that one process writes is one worker's. Controllers are
 * the first worker's, as each of them hears of every change; the one that replaces it begins with all that is there.
 */
function optionsOfWorker(options: ServeOptions, number: number): ServeOptions {
  const { fairness, lifecycle, audit, features } = options;
  const share = (count: number): number => Math.ceil(count / lifecycle.workers);
  return {
    ...options,
    fairness: {
      ...fairness,
      maxRequestsInFlight: share(fairness.maxRequestsInFlight),
      maxMutatingRequestsInFlight: share(fairness.maxMutatingRequestsInFlight),
    },
    features: number === 1 ? features : { ...features, controllers: NONE },
    lifecycle: number === 1 ? lifecycle : { ...lifecycle, debugSocketPath: undefined },
    audit: { ...audit, auditLogPath: auditPathOf(audit.auditLogPath, number) },
  };
}

/** `audit.log` of the first, `audit-worker2.log` of the second. */
function auditPathOf(path: string | undefined, number: number): string | undefined {
  if (path === undefined || path === '-' || number === 1) return path;
  const slash = path.lastIndexOf('/');
  const dot = path.lastIndexOf('.');
  const end = dot > slash + 1 ? dot : path.length;
  return `${path.slice(0, end)}-worker${String(number)}${path.slice(end)}`;
}

async function openWorkerLog(
  { dataDir, unsafeNoFsync }: Pick<StorageSettings, 'dataDir' | 'unsafeNoFsync'>,
  number: number,
): Promise<OpenLog> {
  const path = await realpath(dataDir);
  const folder = join(path, 'workers', String(number));
  const storePath = number === 1 ? join(path, 'store') : join(folder, 'store');
  for (const made of [folder, storePath]) await mkdir(made, { recursive: true, mode: ONLY_OWNER });
  const lock = await lockWhenFree(folder);
  const logPath = join(path, 'log');
  const log = await WorkerEventLog.open(logPath, {
    pipe: new Socket({ fd: LOG_PIPE, readable: true, writable: true }),
    end: new SharedEnd(LOG_END),
  });
  return {
    log,
    directory: {
      ...{ path, logPath, storePath, topicPath: join(path, 'topic'), isSynced: !unsafeNoFsync },
      engine: () => 'embedded',
      release: () => lock.release(),
    },
    hasOtherWriters: false,
    beside: {
      isFirst: number === 1,
      end: () => log.end(),
      whenCut: (listener) => {
        log.whenCut(listener);
      },
    },
    async close() {
      await log.close();
      await lock.release();
    },
  };
}

/** A worker of a primary that was killed a moment ago may still be writing to its store. */
async function lockWhenFree(folder: string): ReturnType<typeof lockDirectory> {
  const giveUpAt = systemClock.now() + FORMER_MS;
  for (;;) {
    try {
      return await lockDirectory(folder);
    } catch (error) {
      if (!(error instanceof DataDirectoryInUseError)) throw error;
      if (systemClock.now() > giveUpAt) throw new StartupError(error.message, { cause: error });
      await new Promise<void>((resolve) => {
        systemClock.after(LOOK_AGAIN_MS, resolve);
      });
    }
  }
}

function workerHost(startIsTold: () => boolean): ServerHost {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  const signals = new EventEmitter();
  const figures = new SharedFigures();
  process.on('message', (word: ToldWorker) => {
    if (word.type !== 'stop') figures.told(word);
    // As a signal does to a process that is not ready for it.
    else if (!signals.emit('SIGTERM')) process.exit(1);
  });
  // Else the process would be held by its pipe to a primary that is gone.
  cluster.worker?.once('disconnect', () => process.exit(1));
  return {
    ...processHost(),
    signals,
    startIsTold,
    gatherFigures: (own) => figures.gather(own),
  };
}

type FiguresWord = Exclude<ToldWorker, { readonly type: 'stop' }>;

/** Figures of all workers, by way of the primary. */
class SharedFigures {
  readonly #waiting = new Map<number, (text: string) => void>();
  #own: ReadFigures = () => Promise.resolve('');
  #lastQuestion = 0;

  gather(own: ReadFigures): ReadFigures {
    this.#own = own;
    return () =>
      new Promise((resolve) => {
        this.#lastQuestion += 1;
        this.#waiting.set(this.#lastQuestion, resolve);
        tell({ type: 'allFiguresAsked', question: this.#lastQuestion });
      });
  }

  told(word: FiguresWord): void {
    const { question } = word;
    if (word.type === 'figuresAsked') {
      void this.#own().then((text) => {
        tell({ type: 'figures', question, text });
      });
      return;
    }
    this.#waiting.get(question)?.(figuresOfAll(word.texts));
    this.#waiting.delete(question);
  }
}
