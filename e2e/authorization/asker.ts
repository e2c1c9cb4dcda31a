/** Thousands of requests of several users on one connection of HTTP/2; a watch ends behind its initial events. */
import type { ClientHttp2Session, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';

import { http2To } from '../hostile/wire.ts';
import type { RunningServer } from '../support/server.ts';

export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Of the user: headers of impersonation. */
  readonly as: OutgoingHttpHeaders;
  readonly body?: string;
}

export interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Asker {
  ask(asked: Asked): Promise<Heard>;
  /** All of them, so many at once; the answers in the order of the requests. */
  askAll(all: readonly Asked[]): Promise<Heard[]>;
  close(): void;
}

const AT_ONCE = 48;
/** What says in a watch that everything which was there has been shown. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export async function askerOf(server: RunningServer): Promise<Asker> {
  const session = await http2To(server);
  const ask = (asked: Asked): Promise<Heard> => heard(session, asked);
  return {
    ask,
    async askAll(all) {
      const answers: Heard[] = [];
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let at = next++; at < all.length; at = next++) {
          const asked = all[at];
          if (asked !== undefined) answers[at] = await ask(asked);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return answers;
    },
    close: () => {
      session.close();
    },
  };
}

function heard(session: ClientHttp2Session, { method, path, as, body }: Asked): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const stream = session.request({
      ':method': method,
      ':path': path,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': type }),
      ...as,
    });
    let headers: IncomingHttpHeaders = {};
    let status = 0;
    let text = '';
    const done = (): void => {
      resolve({ status, headers, text });
    };
    stream.setEncoding('utf8');
    stream.on('response', ({ ':status': code = 0, ...rest }) => {
      status = code;
      headers = rest;
    });
    stream.on('data', (chunk: string) => {
      text += chunk;
      // Documents speak of it too, and end by themselves.
      if (!path.includes('watch') || !text.includes(INITIAL_EVENTS_END)) return;
      done();
      stream.close();
    });
    stream.once('end', done).once('error', (e) => reject(new Error(path, { cause: e })));
    stream.end(body);
  });
}
