/**
 * Where node keeps the open streams of an HTTP/2 session: in a Map, whose old tables keep streams
 * that are long over, with all that hangs on them (see actors/request/under-way.ts). Clients keep their
 * connection for days, so this is most of what the garbage collector has to do for a request. Here
 * the Map is exchanged for a table that forgets, and spares each stream an error at its end.
 *
 * The surprise: that Map is node's own business. What is not as it is known stays as it is, and
 * nothing but time is lost.
 *
 * In Node.js: Http2Session, lib/internal/http2/core.js.
 */
import type { Http2Session, Http2Stream } from 'node:http2';
import { NumberedUnderWay } from '../../actors/request/under-way.ts';

/** @returns whether the session keeps its streams so from now on; it must not have any yet. */
export function forgetStreamsThatAreOver(session: Http2Session): boolean {
  const symbol = Object.getOwnPropertySymbols(session).find((one) => one.description === 'state');
  const state: unknown = symbol === undefined ? undefined : Reflect.get(session, symbol);
  if (!isRecord(state)) return false;
  const { streams, pendingStreams } = state;
  if (!isEmpty(streams, 'get') || !isEmpty(pendingStreams, 'add')) return false;
  state['streams'] = new OpenStreams();
  state['pendingStreams'] = new PendingStreams();
  return true;
}

/** What every stream has as its error from its end on; no listener is told of it. */
const OVER = new Error('the stream is over');

/**
 * Node takes a stream out of its table when it ends it. Where that is before the last write is
 * acknowledged, as with nearly every request that has a body, it then makes an error with a stack
 * trace for callbacks that there are none of, which costs 5 µs; but not for a stream with an error.
 *
 * In Node.js: errorBuffer, lib/internal/streams/writable.js.
 */
class OpenStreams extends NumberedUnderWay<Http2Stream> {
  override delete(number: number): boolean {
    const stream = this.get(number);
    const writable: unknown = stream && Reflect.get(stream, '_writableState');
    if (isRecord(writable) && writable['errored'] === null) writable['errored'] = OVER;
    return super.delete(number);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Node's own Map and Set are not those of everybody: they are known by what they can do. */
function isEmpty(value: unknown, method: string): boolean {
  return isRecord(value) && typeof value[method] === 'function' && value['size'] === 0;
}

/** As much of a Set as is used. A stream is in it while it is made: there is hardly ever one. */
class PendingStreams {
  #streams: Http2Stream[] = [];

  get size(): number {
    return this.#streams.length;
  }

  add(stream: Http2Stream): this {
    if (!this.#streams.includes(stream)) this.#streams.push(stream);
    return this;
  }

  delete(stream: Http2Stream): boolean {
    const at = this.#streams.indexOf(stream);
    if (at >= 0) this.#streams.splice(at, 1);
    return at >= 0;
  }

  forEach(callback: (stream: Http2Stream) => void): void {
    for (const stream of [...this.#streams]) callback(stream);
  }
}
