/** How the server starts and stops, as told by flags. */
import { parseBoolean, parseCount, parseDelay, parseText, quoted } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface LifecycleSettings {
  readonly shutdownDelayMs: number;
  /** For that long after the start `/livez` does not mind what is not finished. */
  readonly livezGraceMs: number;
  readonly shutdownSendRetryAfter: boolean;
  readonly shutdownWatchGraceMs: number;
  /** Between 0 and 0.02. */
  readonly goawayChance: number;
  readonly http2MaxStreams: number;
  /** Whether V8's profiles can be had. */
  readonly profiling: boolean;
  /** The socket on which the same is served without authentication; undefined: none. */
  readonly debugSocketPath: string | undefined;
  /** Whether it is measured how long each filter works. */
  readonly measureFilters: boolean;
}

export const LIFECYCLE_SETTINGS: SettingsOf<LifecycleSettings> = {
  shutdownDelayMs: {
    flag: 'shutdown-delay-duration',
    placeholder: 'DURATION',
    help: 'how long to go on serving after SIGTERM while /readyz already fails',
    takes: 'text',
    default: '0s',
    parse: parseDelay,
  },
  livezGraceMs: {
    flag: 'livez-grace-period',
    placeholder: 'DURATION',
    help: 'how long the start may take before /livez fails because of it',
    takes: 'text',
    default: '0s',
    parse: parseDelay,
  },
  shutdownSendRetryAfter: {
    flag: 'shutdown-send-retry-after',
    placeholder: 'BOOLEAN',
    help: 'while stopping, go on listening until the requests under way are answered, and answer new ones with 429 and Retry-After',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  shutdownWatchGraceMs: {
    flag: 'shutdown-watch-termination-grace-period',
    placeholder: 'DURATION',
    help: 'how long open watches have to end while stopping, bit by bit; 0s ends them all at once',
    takes: 'text',
    default: '0s',
    parse: parseDelay,
  },
  goawayChance: {
    flag: 'goaway-chance',
    placeholder: 'CHANCE',
    help: 'how likely a request of HTTP/2 is answered together with a request to connect anew, which spreads clients over servers; 0 for never, 0.02 at most',
    takes: 'text',
    default: '0',
    parse: parseGoawayChance,
  },
  http2MaxStreams: {
    flag: 'http2-max-streams-per-connection',
    placeholder: 'COUNT',
    help: 'requests at a time on one connection of HTTP/2; 0 for the default',
    takes: 'text',
    default: '250',
    parse: parseStreams,
  },
  profiling: {
    flag: 'profiling',
    placeholder: 'BOOLEAN',
    help: 'whether /debug/pprof/ gives profiles of the processor and the heap to users that may read it',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
  debugSocketPath: {
    flag: 'debug-socket-path',
    placeholder: 'FILE',
    help: 'a Unix socket for /debug/pprof/ and /debug/flags/v, without TLS and authentication; only the user that the server runs as can open it',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  measureFilters: {
    flag: 'measure-filters',
    placeholder: 'BOOLEAN',
    help: 'whether /metrics tells how long each filter of the handler chain works; that costs some microseconds for each request',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
};

const GOAWAY_CHANCE_MAX = 0.02;

function parseGoawayChance(text: string): number {
  const chance = Number(text.replaceAll('_', ''));
  if (chance >= 0 && chance <= GOAWAY_CHANCE_MAX) return chance;
  throw new StartupError(`must be between 0 and 0.02, not ${quoted(text)}`);
}

const STREAMS = 250;

/** 0 stands for the default, as upstream. */
function parseStreams(text: string): number {
  const count = parseCount(text);
  return count === 0 ? STREAMS : count;
}
