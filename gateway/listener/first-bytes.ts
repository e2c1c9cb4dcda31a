/**
 * The TCP server in front of TLS: it looks at the first five bytes of a connection, which are the
 * header of a TLS record, and hands the socket on. Where certificates depend on the name that a client asks for, it reads the
 * client's first message too, and tells that name. A client that speaks plain HTTP gets one sentence, and any other client
 * that does not speak TLS is cut off without a word, which OpenSSL would not do.
 *
 * In Go: recordHeaderLooksLikeHTTP, net/http/server.go; readRecordOrCCS, crypto/tls/conn.go.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../api/meta/clock.ts';
import { ReceivedBytes } from '../inbound/received-bytes.ts';
import { ClientHello } from './tls/client-hello.ts';
import { HandshakeTurns } from './tls/handshake-turns.ts';

export interface FirstBytesParts {
  readonly clock: Clock;
  /** How long a client may take to send them, and wait until its handshake begins. */
  readonly waitMs: number;
  /** Whether `take` is told names, for which the client's first message is waited for. */
  readonly readsNames?: boolean;
  /** Takes over a connection that begins as TLS does. `serverName` is '' where the client names none. */
  readonly take: (socket: Socket, serverName: string) => void;
  /** Told of each connection that does not get there. */
  readonly refused: () => void;
}

const HEADER_BYTES = 5;
const ALERT = 0x15;
const HANDSHAKE = 0x16;
/** The major version of every TLS record is 3; Go takes what is below this. */
const MAJOR_VERSION_MAX = 0x0f;
const HTTP_STARTS: ReadonlySet<string> = new Set(['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO']);
/** Without headers, and without a length: the end of the connection is the end of the body. */
const ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** It listens nowhere yet. */
export function firstBytesServer(parts: FirstBytesParts): Server {
  const turns = new HandshakeTurns(() => parts.clock.now());
  return createServer((socket) => {
    lookAt(socket, parts, turns);
  });
}

function lookAt(
  socket: Socket,
  { clock, waitMs, readsNames = false, take, refused }: FirstBytesParts,
  turns: HandshakeTurns,
): void {
  const stopWaiting = clock.after(waitMs, () => socket.destroy());
  const begin = (read: Buffer, serverName: string): void => {
    socket.unshift(read);
    turns.add(() => {
      if (socket.destroyed) return;
      stopWaiting();
      socket.off('close', closed);
      take(socket, serverName);
    });
  };
  const look = (): void => {
    const header = socket.read(HEADER_BYTES) as Buffer | null;
    if (header === null) return; // There are fewer as yet.
    socket.off('readable', look);
    if (beginsTls(header)) {
      if (readsNames) readName(socket, header, begin);
      else begin(header, '');
      return;
    }
    stopWaiting();
    socket.off('close', closed);
    refused();
    if (HTTP_STARTS.has(header.toString('latin1'))) socket.end(ANSWER, () => socket.destroy());
    else socket.destroy();
  };
  const closed = (): void => {
    stopWaiting();
    refused();
  };
  // The connection may break off at any time; its close tells of it.
  socket.on('error', () => undefined);
  socket.on('readable', look).once('close', closed);
}

/** Calls `done` once with all that was read. */
function readName(
  socket: Socket,
  header: Buffer,
  done: (read: Buffer, serverName: string) => void,
): void {
  const hello = new ClientHello();
  const read = new ReceivedBytes();
  read.add(header);
  hello.add(header);
  const look = (): void => {
    for (;;) {
      const next = socket.read() as Buffer | null;
      if (next === null) break;
      read.add(next);
      hello.add(next);
    }
    if (!hello.isComplete) return;
    socket.off('readable', look);
    done(read.take(), hello.serverName);
  };
  socket.on('readable', look);
  look();
}

/** Fewer bytes than a header are the end of the connection. */
function beginsTls(header: Buffer): boolean {
  const [type = 0, majorVersion = 0] = header;
  if (header.length < HEADER_BYTES || majorVersion > MAJOR_VERSION_MAX) return false;
  return type === HANDSHAKE || type === ALERT;
}
