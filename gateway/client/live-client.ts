/**
 * What the library gives: changes, lists, windows of rows and the past, each as an Observable. One that is
 * subscribed to is one subscription of the socket; to unsubscribe ends it.
 */
import { Observable } from 'rxjs';
import type {
  LiveColumn,
  LiveEvent,
  LiveWindow,
  SeekMessage,
} from '../../api/live/live-messages.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { LiveConnection, type ConnectionOptions } from './live-connection.ts';
import { lineBatches } from './line-batches.ts';
import { frames, queryOf, type WatchOptions } from './live-frames.ts';
import { LiveList } from './live-list.ts';
import { LiveRows, type Rows } from './live-rows.ts';
import type { AnyObject, ObjectAt } from './typed-path.ts';

/**
 * What happened, in order. RESET: a state begins anew, as at the beginning and after a seek, and what was
 * told before it is void. CAUGHT_UP: all that there is was told; what follows happens from now on.
 */
export type Change<Object> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: Object;
      readonly revision: string;
    }
  | { readonly type: 'RESET' }
  | { readonly type: 'CAUGHT_UP'; readonly revision: string };

/** What of a collection is shown. */
export interface RowsOptions extends Pick<WatchOptions, 'labelSelector' | 'fieldSelector' | 'at'> {
  /** Printed columns by name, or with a JSONPath; those of the kind unless said. */
  readonly columns?: readonly LiveColumn[];
  /** The first window, and those that follow it. */
  readonly window: LiveWindow | Observable<LiveWindow>;
  /** At least so many milliseconds lie between two frames. */
  readonly rateMs?: number;
}

/** One object, for its history: '' is the group of the core and the namespace of what has none. */
export interface HistoryOf {
  /** `apps`. */
  readonly group: string;
  /** `deployments`. */
  readonly resource: string;
  /** `shop`. */
  readonly namespace: string;
  /** `web`. */
  readonly name: string;
}

/** One change of the log: docs/event-format.md tells its members. */
export interface LogLine {
  /** The position in the log. */
  readonly resourceVersion: number;
  /** What became of the object. */
  readonly type: 'added' | 'modified' | 'deleted';
  /** RFC 3339. */
  readonly time: string;
  /** `apps/deployments`, `core/pods`. */
  readonly resource: string;
  /** '' for objects of the cluster. */
  readonly namespace: string;
  /** `metadata.name`. */
  readonly name: string;
  /** The user whose request it was. */
  readonly user: string;
  /** Of the request: `patch`. */
  readonly verb: string;
  /** '' where none was named. */
  readonly fieldManager: string;
  /** As of the change; of a deletion, the last state. */
  readonly object: JsonObject;
}

export interface LiveClient {
  /** How the connection is, and all that is beside subscriptions. */
  readonly connection: Pick<LiveConnection, 'state$' | 'moved$' | 'problem$'>;
  /** Every change of a collection or, with a field selector, of one object. @throws LiveError */
  watch<Path extends string>(
    path: Path,
    options?: WatchOptions,
  ): Observable<Change<ObjectAt<Path>>>;
  /** All objects of a collection, in order of namespace and name, after each frame of changes. */
  list$<Path extends string>(
    path: Path,
    options?: Omit<WatchOptions, 'from'>,
  ): Observable<readonly ObjectAt<Path>[]>;
  /** A window of a collection as rows, filtered, sorted and counted by the server. */
  rows$(path: string, options: RowsOptions): Observable<Rows>;
  /** Every revision of one object, through its deletions, until now. @param fork '' for none. */
  history$(of: HistoryOf, fork?: string): Observable<LogLine>;
  /** The lines of a path below `/everwatch/v1`, with its query, one by one. */
  lines$(path: string): Observable<JsonObject>;
  /**
   * The same lines in the portions in which they come. The server sends on as portions are asked for, so
   * a slow reader keeps little of them in memory. @throws LiveError
   */
  lineBatches(path: string): AsyncGenerator<readonly JsonObject[]>;
  /** Moves all that has no moment of its own; `{}` is back to now. */
  seek(moment: Omit<SeekMessage, 'type'>): void;
  /** Ends all. */
  close(): void;
}

/** Connects at once, and again whenever the connection is lost. */
export function liveClient(options: ConnectionOptions): LiveClient {
  const connection = new LiveConnection(options);
  return {
    connection,
    watch: <Path extends string>(path: Path, asked: WatchOptions = {}) =>
      watched(connection, path, asked) as Observable<Change<ObjectAt<Path>>>,
    list$: <Path extends string>(path: Path, asked: Omit<WatchOptions, 'from'> = {}) =>
      listed(connection, path, asked) as Observable<readonly ObjectAt<Path>[]>,
    rows$: (path, asked) => rowed(connection, path, asked),
    history$: (of, fork = '') => lined<LogLine>(connection, historyPath(of, fork)),
    lines$: (path) => lined<JsonObject>(connection, path),
    lineBatches: (path) => lineBatches(connection, path),
    seek: (moment) => {
      connection.seek(moment);
    },
    close: () => {
      connection.close();
    },
  };
}

function watched(
  connection: LiveConnection,
  path: string,
  asked: WatchOptions,
): Observable<Change<AnyObject>> {
  return new Observable((subscriber) =>
    frames(connection, path, asked).subscribe({
      next: (frame) => {
        if (frame.type === 'caughtUp') {
          subscriber.next({ type: 'CAUGHT_UP', revision: frame.revision });
          return;
        }
        if (frame.reset === true) subscriber.next({ type: 'RESET' });
        for (const event of frame.events) {
          if (event.type !== 'LINE') subscriber.next(changeOf(event.type, event, frame.revision));
        }
      },
      error: (error: unknown) => {
        subscriber.error(error);
      },
      complete: () => {
        subscriber.complete();
      },
    }),
  );
}

function changeOf(
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  { object }: LiveEvent,
  revision: string,
): Change<AnyObject> {
  // Objects of a collection of the API have metadata.
  return { type, object: object as AnyObject & LiveEvent['object'], revision };
}

function listed(
  connection: LiveConnection,
  path: string,
  asked: WatchOptions,
): Observable<readonly AnyObject[]> {
  return new Observable((subscriber) => {
    const list = new LiveList();
    return frames(connection, path, asked).subscribe({
      next: (frame) => {
        const items = list.take(frame);
        if (items !== undefined) subscriber.next(items);
      },
      error: (error: unknown) => {
        subscriber.error(error);
      },
      complete: () => {
        subscriber.complete();
      },
    });
  });
}

function rowed(connection: LiveConnection, path: string, asked: RowsOptions): Observable<Rows> {
  return new Observable((subscriber) => {
    const { window: given, columns, rateMs, at } = asked;
    const query = queryOf(asked);
    const rows = new LiveRows();
    let window: LiveWindow | undefined = 'limit' in given ? given : undefined;
    let subscription: ReturnType<LiveConnection['subscribe']> | undefined;
    const begin = (): void => {
      subscription = connection.subscribe({
        request: () => {
          rows.clear();
          return {
            path,
            ...(query === '' ? {} : { query }),
            ...(columns === undefined ? {} : { columns }),
            ...(window === undefined ? {} : { window }),
            ...(rateMs === undefined ? {} : { rate: rateMs }),
            ...(at === undefined ? {} : { at }),
          };
        },
        hear: (message) => {
          if (message.type === 'rows') subscriber.next(rows.take(message));
          else if (message.type === 'complete') subscriber.complete();
        },
        fail: (error) => {
          subscriber.error(error);
        },
        forget: () => undefined,
      });
    };
    const windows =
      'limit' in given
        ? undefined
        : given.subscribe((next) => {
            window = next;
            if (subscription === undefined) begin();
            else connection.send({ type: 'window', id: subscription.id, window: next });
          });
    if (window !== undefined && subscription === undefined) begin();
    return () => {
      windows?.unsubscribe();
      subscription?.end();
    };
  });
}

function lined<Line>(connection: LiveConnection, path: string): Observable<Line> {
  return new Observable((subscriber) =>
    frames(connection, path, {}).subscribe({
      next: (frame) => {
        if (frame.type !== 'next') return;
        // The path says which lines these are.
        for (const { object } of frame.events) subscriber.next(object as Line);
      },
      error: (error: unknown) => {
        subscriber.error(error);
      },
      complete: () => {
        subscriber.complete();
      },
    }),
  );
}

function historyPath({ group, resource, namespace, name }: HistoryOf, fork: string): string {
  const place = fork === '' ? '' : `/forks/${encodeURIComponent(fork)}`;
  const query = new URLSearchParams({
    resource: `${group === '' ? 'core' : group}/${resource}`,
    path: `${namespace}/${name}`,
    effectiveOnly: 'true',
  });
  return `${place}/everwatch/v1/log?${query.toString()}`;
}
