/** `/everwatch/v1/status`: how this server is, for `everwatch status`. */
import { STATUS_PATH } from '../../actors/request/log-request.ts';
import { jsonAnswer, type Route } from './route.ts';
import { refusal } from './log.ts';

/** Of a log that is a copy. */
export interface LogOrigin {
  /** Watched on another cluster, or read from an archive or a SimKube trace. */
  readonly kind: 'recording' | 'archive' | 'trace';
  /** The URL of the cluster; of a file, its name. */
  readonly of: string;
  /** Times at which something may be missing, oldest first: lines of `record-gaps.jsonl`, the newest hundred. */
  readonly gaps?: readonly object[];
}

/** What is not known, or does not exist, is left out. */
export interface ServerStatus {
  /** Of the program. */
  readonly version: string;
  /** In words: `embedded`, `kafka`. */
  readonly engine: string;
  /** No client can write, whatever it may: `--read-only`. */
  readonly readOnly?: true;
  /**
   * The oldest and the newest version that can be read, and their times in milliseconds since 1970.
   */
  readonly log: {
    readonly oldest: number;
    /** Milliseconds since 1970, of the oldest record there is. */
    readonly oldestTime?: number;
    readonly newest: number;
    readonly newestTime?: number;
  };
  /** How far the fold has come. */
  readonly applied: number;
  /** How many exist, by resource. */
  readonly objects: Readonly<Record<string, number>>;
  /** Bytes of the files of the log and of the store. */
  readonly disk?: {
    readonly logBytes: number;
    readonly storeBytes: number;
    /** Of both, how much can be used again. */
    readonly freeBytes?: number;
  };
  /** To a log on other machines. */
  readonly connection?: {
    readonly state: string;
    readonly problem?: string;
  };
  /** How far the views are behind the newest record of a log on other machines. */
  readonly lag?: { readonly events: number; readonly ms: number };
  /** What the log is a copy of, where it is one and stays one: a recorded cluster, an archive, a trace. */
  readonly origin?: LogOrigin;
}

/** @param provider asked at each request. */
export function statusRoute(provider: () => Promise<ServerStatus>): Route {
  return (request) => {
    if (request.info.path !== STATUS_PATH) return undefined;
    return refusal(request) ?? provider().then(jsonAnswer);
  };
}
