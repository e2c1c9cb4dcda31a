/**
 * Reads a TLS connection into one buffer again and again. Else Node makes a buffer and an event of a stream for each
 * record, which together cost about as much as to decrypt it and to encrypt it for the other end.
 *
 * The surprise: Node has this for sockets that a program opens by `net.connect` with `onread`, and not for those that a
 * server accepts or that come of a request which was upgraded. So they are given here what that option gives them. A
 * release of Node that has no such parts is found at the start, and its sockets are read by their events.
 */
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** What of a socket Node's own option `onread` changes. */
interface ReadParts {
  readonly _handle?: { useUserBuffer?: (bytes: Buffer) => void } | null;
  [part: symbol]: unknown;
}

type HasTaken = (count: number, bytes: Buffer) => boolean;

/** What a record of TLS carries at most, which Node gives on record by record. */
export const RECORD_BYTES = 16 * 1_024;

const [BUFFER, TAKEN] = ['kBuffer', 'kBufferCb'].map((name) =>
  Object.getOwnPropertySymbols(new Socket()).find(({ description }) => description === name),
);

/**
 * Gives on what has come and what comes, as it comes; what is given is good until `take` returns. There is no `data`
 * any more; `pause`, `resume`, `end` and `close` are as ever.
 *
 * @param memory where it is read; others may read there too if none of them reads within its own `take`.
 */
export function readBytes(
  socket: Duplex,
  take: (bytes: Buffer) => void,
  memory = recordMemory(),
): void {
  if (!readReused(socket, take, memory)) socket.on('data', take);
}

/** Memory for what {@link readBytes} reads. */
export function recordMemory(): Buffer {
  return Buffer.allocUnsafeSlow(RECORD_BYTES);
}

/** Whether it is a connection of TLS itself, and nothing that leads to one. */
export function isTls(socket: unknown): socket is TLSSocket {
  return socket instanceof TLSSocket;
}

/** @returns whether the socket is read so; else it is as it was. */
export function readReused(
  socket: Duplex,
  take: (bytes: Buffer) => void,
  memory = recordMemory(),
): boolean {
  if (!isTls(socket) || BUFFER === undefined || TAKEN === undefined) return false;
  const parts = socket as TLSSocket & ReadParts; // It has them whether its type tells of them or not.
  const handle = parts._handle;
  if (typeof handle?.useUserBuffer !== 'function' || parts[BUFFER] !== null) return false;
  const taken: HasTaken = (count, bytes) => {
    take(bytes.subarray(0, count));
    return true;
  };
  for (let rest = restOf(socket); rest !== null; rest = restOf(socket)) take(rest);
  // Node keeps it for as long as the socket, and writes into it as long as there is the handle.
  parts[BUFFER] = memory;
  parts[TAKEN] = taken;
  handle.useUserBuffer(memory);
  return true;
}

function restOf(socket: Duplex): Buffer | null {
  return socket.read() as Buffer | null; // It has no encoding.
}
