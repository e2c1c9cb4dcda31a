/**
 * One request and its answer on the wire, whichever protocol carries them.
 */
import type { Readable } from 'node:stream';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';

/** Header names in any spelling; several values of one name are sent as several headers. */
export type AnswerHeaders = Record<string, string | number | string[]>;

/** A body of a size that is known, made where it is sent from. */
export interface ByteSource {
  /** How many bytes there are in all. */
  readonly sizeBytes: number;
  /** Moves the next bytes to where they are sent from. */
  moveTo(target: Buffer, at: number, bytes: number): void;
}

export interface Exchange {
  /** Of the request, in capital letters. */
  readonly method: string;
  /** What the client takes: the `accept-encoding` header. */
  readonly acceptEncoding: string;
  /** The client went away, or everything was sent. */
  readonly closed: boolean;
  /** Whether {@link head} was called, so that another answer is not possible any more. */
  readonly headSent: boolean;
  /** Once; from then on only the body is left to be sent. */
  head(code: number, headers: AnswerHeaders): void;
  /** False: more than enough is waiting to be sent; go on at {@link onDrain}. */
  write(chunk: Buffer): boolean;
  /** The whole body, at the pace of the client, and its end; undefined: the protocol takes chunks only. */
  readonly endFrom?: (source: ByteSource) => void;
  /** Sends the last bytes. Nothing may be written afterwards. */
  end(chunk?: Uint8Array): void;
  /** Calls back once, when more can be written. */
  onDrain(callback: () => void): void;
  /** Called once, also when it is closed already. */
  onClose(callback: () => void): void;
  /** Ends it in the middle, so that the client cannot take what it has for the whole. */
  abort(): void;
  /** The body as it comes; undefined: there is none. In place of {@link readBody}. */
  readonly body: Readable | undefined;
  /** Never rejects; at once where the request has no body. */
  readBody(bytesMax: number): MaybePromise<RawBody>;
}

/** `tooMany`: the bodies that are being read hold all the memory that there is for them. */
export type RawBody =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'tooLarge' | 'tooMany' | 'brokenOff' };
