/** A server of the live protocol that does what the test says, and a clock that the test moves. */
import { VirtualTimeScheduler } from 'rxjs';
import type { ClientMessage, ServerMessage } from '../../api/live/live-messages.ts';
import { liveClient } from './live-client.ts';
import type { HandshakeRefusal, SocketEvents, SocketRequest } from './live-socket.ts';

export interface GivenSocket {
  readonly request: SocketRequest;
  /** What the client has sent on it. */
  readonly sent: ClientMessage[];
  /** Whether the client has closed it. */
  readonly isClosed: () => boolean;
  /** What the server sends. */
  readonly say: (...messages: readonly ServerMessage[]) => void;
  /** The connection is lost. */
  readonly lose: (code?: number) => void;
  /** The server refuses the handshake. */
  readonly refuse: (refusal: HandshakeRefusal) => void;
}

const LIMITS = { subscriptions: 2_000, windows: 32, windowRows: 10_000, messageBytes: 65_536 };

/** The first message of every server. */
export const WELCOME: ServerMessage = {
  type: 'welcome',
  protocol: 'everwatch.watch.v1',
  user: 'alice',
  time: '2026-11-20T10:00:00.000Z',
  limits: LIMITS,
};

/** A client whose sockets are the test's. */
export function givenClient(token = '') {
  const scheduler = new VirtualTimeScheduler(undefined, Infinity);
  const sockets: GivenSocket[] = [];
  const open = (request: SocketRequest, events: SocketEvents) => {
    const sent: ClientMessage[] = [];
    let isClosed = false;
    sockets.push({
      request,
      sent,
      isClosed: () => isClosed,
      say: (...messages) => {
        for (const message of messages) events.message(JSON.stringify(message));
      },
      lose: (code = 1_006) => {
        events.closed(code, '');
      },
      refuse: (refusal) => {
        events.closed(1_006, 'refused', refusal);
      },
    });
    events.opened();
    return {
      // What a client sends is what it says it is.
      send: (text: string) => sent.push(JSON.parse(text) as ClientMessage),
      close: () => (isClosed = true),
    };
  };
  const client = liveClient({ url: 'https://host:6443', token, open, scheduler });
  return {
    client,
    sockets,
    newest: (): GivenSocket => {
      const socket = sockets.at(-1);
      if (socket === undefined) throw new Error('no socket was opened');
      return socket;
    },
    /** Lets `ms` pass. */
    pass: (ms: number) => {
      scheduler.maxFrames = scheduler.frame + ms;
      scheduler.flush();
      scheduler.frame = scheduler.maxFrames;
    },
  };
}
