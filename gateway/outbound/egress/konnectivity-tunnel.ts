/**
 * A tunnel by gRPC, as konnectivity's proxy server opens them: one stream of packets for one
 * connection, over a connection to the proxy of its own. Packets of data are held back by
 * gRPC while they are not read, so a slow reader costs no memory here.
 *
 * There is no half-close: a peer that has ended its side gets no answer any more. TLS expects none.
 *
 * In Kubernetes: grpcTunnel and conn, apiserver-network-proxy/konnectivity-client/pkg/client.
 */
import { randomInt } from 'node:crypto';
import { Duplex } from 'node:stream';
import { ProtobufError } from '../../../api/protobuf/protobuf-reader.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { GrpcStream, type GrpcOutcome, type GrpcTaker } from '../grpc-stream.ts';
import type { TunnelFailure, TunnelMeters, TunnelState } from '../../metrics/egress-figures.ts';
import {
  decodePacket,
  encodePacket,
  PROXY_METHOD,
  type ReceivedPacket,
  type SentPacket,
} from './konnectivity-packets.ts';
import { DialError, type Opened } from './proxy-place.ts';

export interface KonnectivityParts {
  /** Of the proxy's socket. */
  readonly path: string;
  /** `host:port` */
  readonly target: string;
  readonly clock: Clock;
  readonly meters: TunnelMeters;
}

/** For the proxy to answer, and for its agent to reach the address. */
const DIAL_TIMEOUT_MS = 30_000;
/** For the proxy to say that a connection is closed. */
const CLOSE_TIMEOUT_MS = 10_000;
/** Of one packet; the proxy takes four megabytes. */
const DATA_BYTES_MAX = 64 * 1024;
/**
 * What the proxy may send before it is read. With 64 KiB a tunnel holds up the others of its agent, and a node that
 * closes behind its last byte has more to lose.
 */
const WINDOW_BYTES = 1024 * 1024;
/** Told apart by chance among all that one proxy is asked for. */
const DIALS_MAX = 2 ** 48 - 1;

/** @param opened is called once. */
export function openKonnectivityTunnel(parts: KonnectivityParts, opened: Opened): void {
  new KonnectivityTunnel(parts, opened).dial();
}

interface Failure {
  readonly reason: TunnelFailure;
  readonly error: DialError;
}

class KonnectivityTunnel extends Duplex implements GrpcTaker {
  readonly #parts: KonnectivityParts;
  readonly #call: GrpcStream;
  readonly #random = 1 + randomInt(DIALS_MAX);
  #opened: Opened | undefined;
  #cancelTimer: () => void = () => undefined;
  #state: TunnelState | undefined;
  /** Whether the proxy was there. */
  #isReached = false;
  /** 0 before there is one. */
  #connection = 0;
  #isClosed = false;

  constructor(parts: KonnectivityParts, opened: Opened) {
    super({ allowHalfOpen: false });
    this.#parts = parts;
    this.#opened = opened;
    const { path, clock } = parts;
    const call = { path, clock, method: PROXY_METHOD, windowBytes: WINDOW_BYTES };
    this.#call = new GrpcStream({ ...call, taker: this });
  }

  dial(): void {
    const { clock, target } = this.#parts;
    this.#move('dialing');
    this.#cancelTimer = clock.after(DIAL_TIMEOUT_MS, () => {
      this.#end(this.#failure('timeout', 'dial timeout, backstop'));
    });
    this.#send({ type: 'DIAL_REQ', address: target, random: this.#random });
  }

  // What the call tells.

  reached(): void {
    this.#isReached = true;
  }

  message(bytes: Buffer): void {
    let packet: ReceivedPacket;
    try {
      packet = decodePacket(bytes);
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error;
      this.#broken({ code: 'Internal', details: error.message });
      return;
    }
    this.#receive(packet);
  }

  ended(outcome: GrpcOutcome): void {
    this.#cancelTimer();
    if (outcome.code === 'OK') this.#end(this.#failure('tunnelclosed', 'tunnel closed'));
    else this.#broken(outcome);
  }

  override _read(): void {
    this.#call.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, written: (error?: Error | null) => void): void {
    const connection = this.#connection;
    for (let at = 0; at < chunk.length; at += DATA_BYTES_MAX) {
      const isLast = at + DATA_BYTES_MAX >= chunk.length;
      const data = chunk.subarray(at, at + DATA_BYTES_MAX);
      this.#send({ type: 'DATA', connection, data }, isLast ? written : undefined);
    }
    if (chunk.length === 0) written();
  }

  override _final(ended: () => void): void {
    this.#close();
    ended();
  }

  override _destroy(error: Error | null, ended: (error?: Error | null) => void): void {
    this.#close();
    this.#move(undefined);
    ended(error);
  }

  #receive(packet: ReceivedPacket): void {
    const { meters } = this.#parts;
    meters.packet('to_client', packet.type === 'other' ? packet.name : packet.type);
    switch (packet.type) {
      case 'DIAL_RSP':
        if (packet.random === this.#random) this.#answered(packet.connection, packet.error);
        break;
      case 'DIAL_CLS':
        if (packet.random === this.#random) this.#end(this.#failure('dialclosed', 'dial closed'));
        break;
      case 'DATA':
        // A packet of another connection cannot be used here.
        if (packet.connection !== this.#connection || this.#isClosed) break;
        if (!this.push(packet.data)) this.#call.pause();
        break;
      case 'CLOSE_RSP':
        if (packet.connection === this.#connection) this.#closed(packet.error);
        break;
      case 'other':
    }
  }

  #answered(connection: number, problem: string): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    if (problem !== '') {
      this.#end(this.#failure('endpoint', problem));
      return;
    }
    this.#cancelTimer();
    this.#opened = undefined;
    this.#connection = connection;
    this.#move('ok');
    opened(this);
  }

  /** The far end has said all, or was lost. */
  #closed(problem: string): void {
    this.#isClosed = true;
    this.#call.end();
    this.#endRead(problem === '' ? undefined : new Error(problem));
  }

  /** What has come is read first, and what went wrong is told behind it. */
  #endRead(error?: Error): void {
    if (error === undefined) {
      this.push(null);
    } else if (this.readableLength === 0) {
      this.destroy(error);
    } else {
      this.once('end', () => {
        this.destroy(error);
      });
      this.push(null);
    }
  }

  #broken({ code, details }: GrpcOutcome): void {
    if (this.#isReached && !this.#isClosed) this.#parts.meters.broken(code);
    const { path, target } = this.#parts;
    const about = `proxy error from ${path} while dialing ${target}`;
    const why = `${about}: rpc error: code = ${code} desc = ${details}`;
    this.#end(this.#failure(this.#isReached ? 'tunnelclosed' : 'unknown', why));
  }

  #failure(reason: TunnelFailure, message: string): Failure {
    return { reason, error: new DialError(this.#isReached ? 'proxy' : 'connect', message) };
  }

  /** There is no tunnel, or not any more. */
  #end({ reason, error }: Failure): void {
    const opened = this.#opened;
    const wasClosed = this.#isClosed;
    this.#opened = undefined;
    if (reason !== 'timeout' && !wasClosed) {
      // The proxy knows it.
      this.#isClosed = true;
      this.#call.cancel();
    }
    if (opened !== undefined) {
      // Where no proxy was, no tunnel was begun.
      if (this.#isReached) this.#parts.meters.dialFailed(reason);
      this.destroy();
      opened(error);
    } else if (wasClosed) {
      this.push(null);
    } else {
      this.#endRead(error);
    }
  }

  /** Says so to the proxy, once, and waits a little for its answer. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#move('closing');
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(CLOSE_TIMEOUT_MS, () => {
      this.#call.cancel();
      this.push(null);
    });
    const connection = this.#connection;
    if (connection === 0) this.#send({ type: 'DIAL_CLS', random: this.#random });
    else this.#send({ type: 'CLOSE_REQ', connection });
    this.#call.end();
    this.#call.resume();
  }

  #send(packet: SentPacket, sent?: () => void): void {
    this.#parts.meters.packet('from_client', packet.type);
    this.#call.write(encodePacket(packet), sent);
  }

  #move(to: TunnelState | undefined): void {
    if (this.#state === to) return;
    this.#parts.meters.moved(this.#state, to);
    this.#state = to;
  }
}
