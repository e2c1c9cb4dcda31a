/**
 * `/everwatch/v1/figures?every=SECONDS`: how much there is and happens, a line of JSON at once and then each so
 * many seconds. Totals count from the start of the server, so a client makes rates of two lines.
 */
import { statusAnswer } from '../../actors/request/answer.ts';
import { FIGURES_PATH } from '../../actors/request/log-request.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { badRequest } from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import { refusal, type StreamRights } from './log.ts';
import type { Route } from './route.ts';

/** Of the whole server, whichever control plane is asked. */
export interface ServerFigures {
  /** Ended since the start, by verb. */
  readonly requests: Readonly<Record<string, number>>;
  /** Open ones, those of live connections among them. */
  readonly watches: number;
  /** Those among them that do not take what they are offered, and how many versions the furthest is behind. */
  readonly watchLag: { readonly watches: number; readonly events: number };
  /** How many are open. */
  readonly live: { readonly connections: number; readonly subscriptions: number };
  /** Since the start. */
  readonly cpuSeconds: number;
  /** Of the process. */
  readonly memory: { readonly rssBytes: number; readonly heapUsedBytes: number };
}

/** Of one control plane, with those of the server where it is the main one. */
interface Figures extends Partial<ServerFigures> {
  readonly resourceVersion: number;
  readonly objects: Readonly<Record<string, number>>;
  readonly lag?: { readonly events: number; readonly ms: number } | undefined;
}

interface FiguresRouteParts {
  readonly clock: Clock;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly read: () => Promise<Figures>;
  /** Asks for the right again, as long as a client reads. */
  readonly rights: StreamRights;
}

const EVERY_SECONDS = '5';
const MS = 1_000;
const LINES = { 'Content-Type': 'application/json' };

/** Serves {@link FIGURES_PATH}; nothing below `/at/`. */
export function figuresRoute({ clock, stopping, read, rights }: FiguresRouteParts): Route {
  async function* chunks(everyMs: number, gone: AbortSignal): AsyncGenerator<Buffer> {
    const signal = AbortSignal.any([gone, stopping]);
    while (!signal.aborted) {
      const { resourceVersion, ...figures } = await read();
      const time = new Date(clock.now()).toISOString();
      yield Buffer.from(`${formatJson({ resourceVersion, time, ...figures })}\n`);
      await pause(clock, everyMs, signal);
    }
    if (stopping.aborted) throw new Error('the server stops');
  }
  return (request) => {
    const { path, at } = request.info;
    if (at !== '' || path !== FIGURES_PATH) return undefined;
    const refused = refusal(request);
    if (refused !== undefined) return refused;
    const every = queryValue(request.query, 'every') ?? EVERY_SECONDS;
    if (!/^[1-9]\d{0,3}$/.test(every)) {
      return statusAnswer(badRequest('every must be from 1 to 9999 seconds'));
    }
    const everyMs = Number(every) * MS;
    return {
      ...{ kind: 'Stream', headers: LINES },
      chunks: (gone) => chunks(everyMs, gone),
      held: (lost) => rights.hold(request, lost),
    };
  };
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ended = (): void => {
      cancel();
      signal.removeEventListener('abort', ended);
      resolve();
    };
    const cancel = clock.after(ms, ended);
    signal.addEventListener('abort', ended);
    if (signal.aborted) ended();
  });
}
