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
import { Metadata, type Client, type ClientDuplexStream, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../../api/meta/clock.ts';
import { grpcCodeName, unixClient } from '../grpc-clients.ts';
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
 * What the proxy may send before it is read. With gRPC's 64 KiB a tunnel holds up the others of its agent, and a
 * node that closes behind its last byte has more to lose.
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

class KonnectivityTunnel extends Duplex {
  readonly #parts: KonnectivityParts;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<SentPacket, ReceivedPacket>;
  readonly #random = 1 + randomInt(DIALS_MAX);
  #opened: Opened | undefined;
  #cancelTimer: () => void = () => undefined;
  #state: TunnelState | undefined;
  /** Whether the proxy was there. */
  #isReached = false;
  /** 0 before there is one. */
  #connection = 0;
  #isClosed = false;
  /** What broke the tunnel; told where its packets end. */
  #broken: Failure | undefined;

  constructor(parts: KonnectivityParts, opened: Opened) {
    super({ allowHalfOpen: false });
    this.#parts = parts;
    this.#opened = opened;
    this.#client = unixClient(parts.path, { 'grpc-node.flow_control_window': WINDOW_BYTES });
    this.#client.waitForReady(Infinity, (error) => (this.#isReached ||= error === undefined));
    const decode = (bytes: Buffer): ReceivedPacket => decodePacket(bytes);
    this.#call = this.#client.makeBidiStreamRequest(
      PROXY_METHOD,
      encodePacket,
      decode,
      new Metadata(),
    );
  }

  dial(): void {
    const { clock, target } = this.#parts;
    this.#move('dialing');
    this.#call.on('data', (packet: ReceivedPacket) => {
      this.#receive(packet);
    });
    // What broke is said before the end is.
    this.#call.on('error', (error: ServiceError) => {
      this.#break(error);
    });
    this.#call.on('end', () => {
      this.#end(this.#broken ?? this.#failure('tunnelclosed', 'tunnel closed'));
    });
    this.#call.on('status', () => {
      this.#cancelTimer();
      this.#client.close();
    });
    this.#cancelTimer = clock.after(DIAL_TIMEOUT_MS, () => {
      this.#end(this.#failure('timeout', 'dial timeout, backstop'));
    });
    this.#send({ type: 'DIAL_REQ', address: target, random: this.#random });
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

  #break(error: ServiceError): void {
    const code = grpcCodeName(error.code);
    if (this.#isReached && !this.#isClosed) this.#parts.meters.broken(code);
    const { path, target } = this.#parts;
    const about = `proxy error from ${path} while dialing ${target}`;
    const why = `${about}: rpc error: code = ${code} desc = ${error.details}`;
    const failure = this.#failure(this.#isReached ? 'tunnelclosed' : 'unknown', why);
    // Packets that came before may still wait to be read.
    if (this.#opened === undefined) this.#broken = failure;
    else this.#end(failure);
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
    });
    const connection = this.#connection;
    if (connection === 0) this.#send({ type: 'DIAL_CLS', random: this.#random });
    else this.#send({ type: 'CLOSE_REQ', connection });
    this.#call.end();
    this.#call.resume();
  }

  #send(packet: SentPacket, sent?: (error?: Error | null) => void): void {
    this.#parts.meters.packet('from_client', packet.type);
    this.#call.write(packet, sent);
  }

  #move(to: TunnelState | undefined): void {
    if (this.#state === to) return;
    this.#parts.meters.moved(this.#state, to);
    this.#state = to;
  }
}
