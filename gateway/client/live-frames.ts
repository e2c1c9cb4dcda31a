/** Frames of one subscription to events, from its first state through all connections that it needs. */
import { Observable } from 'rxjs';
import { linesBehind } from './line-place.ts';
import type { HeardMessage, LiveConnection, Subscriber } from './live-connection.ts';

/** Which objects, and from when. */
export interface WatchOptions {
  /** As in a GET: `app=web`. */
  readonly labelSelector?: string;
  /** As in a GET: `status.phase=Running`. */
  readonly fieldSelector?: string;
  /** Only what came after this resourceVersion; without it, the objects of now come first. */
  readonly from?: string;
  /** A resourceVersion or a time: shows that moment, whatever the connection moves to. */
  readonly at?: string;
  /** How many events may be under way that the subscriber has not worked off. 1,000 unless said. */
  readonly credit?: number;
}

const CREDIT = 1_000;
/** What it asks to go on from was cut from the log. */
const GONE = 410;

/** A frame of events. */
export type Frame = Exclude<HeardMessage, { type: 'rows' | 'complete' }>;

/**
 * The frames of a watch, which is taken up again behind the last revision that was heard.
 *
 * @param worked is handed what acknowledges each `next`, behind the frame itself.
 */
export function frames(
  connection: LiveConnection,
  path: string,
  asked: WatchOptions,
  worked: (acknowledge: () => void) => void = atOnce,
): Observable<Frame> {
  return new Observable((observer) => {
    const { from: first, at, credit = CREDIT } = asked;
    let from = first;
    const [place = '', search = queryOf(asked)] = path.split('?', 2);
    const lines = linesBehind(place, search);
    const subscriber: Subscriber = {
      request: () => {
        const query = lines?.query() ?? search;
        return {
          path: place,
          credit,
          ...(query === '' ? {} : { query }),
          ...(lines !== undefined || from === undefined ? {} : { from }),
          ...(at === undefined ? {} : { at }),
        };
      },
      hear: (message) => {
        if (message.type === 'rows') return;
        if (message.type === 'complete') {
          observer.complete();
          return;
        }
        if (message.type === 'next' && message.reset === true) from = undefined;
        if (message.type === 'caughtUp' || message.initial !== true) from = message.revision;
        observer.next(message);
        if (message.type !== 'next') return;
        worked(() => {
          connection.send({ type: 'ack', id: subscription.id, revision: message.revision });
        });
        if (lines?.hasEndedWith(message) === true) observer.complete();
      },
      fail: (error) => {
        // Its state is told anew, so nothing is lost by what was cut while the connection was.
        const isTold = lines === undefined && first === undefined && at === undefined;
        if (error.code === GONE && isTold && from !== undefined) {
          from = undefined;
          subscription = connection.subscribe(subscriber);
        } else observer.error(error);
      },
      forget: () => {
        if (at === undefined) from = undefined;
      },
    };
    let subscription = connection.subscribe(subscriber);
    return () => {
      subscription.end();
    };
  });
}

function atOnce(acknowledge: () => void): void {
  acknowledge();
}

/** As in a GET. */
export function queryOf({ labelSelector = '', fieldSelector = '' }: Partial<WatchOptions>): string {
  const query = new URLSearchParams();
  if (labelSelector !== '') query.set('labelSelector', labelSelector);
  if (fieldSelector !== '') query.set('fieldSelector', fieldSelector);
  return query.toString();
}
