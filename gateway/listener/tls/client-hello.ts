/**
 * The first message of a TLS connection, of which one thing is asked: the name of the server that the client wants.
 *
 * It may come in any number of records and pieces, and is taken apart once, when it is whole. A message that cannot be read
 * has no name: OpenSSL, which reads it next, is what refuses it.
 *
 * In Go: readClientHello and clientHelloMsg, crypto/tls.
 */
import { ReceivedBytes } from '../../inbound/received-bytes.ts';

const RECORD_HEADER_BYTES = 5;
const HANDSHAKE = 22;
/** Of what a record holds. */
const RECORD_BYTES_MAX = 16_384;
const CLIENT_HELLO = 1;
const MESSAGE_HEADER_BYTES = 4;
/** As Go has it. */
const MESSAGE_BYTES_MAX = 65_536;
/** With the headers of records; a client that needs more is handed on without a name. */
const BYTES_MAX = 2 * MESSAGE_BYTES_MAX;
/** The version, and what is random. */
const BEGINNING_BYTES = 2 + 32;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** What a client says first, as it comes. */
export class ClientHello {
  #isComplete = false;
  #serverName = '';
  #bytes = 0;
  /** Of the header of the next record. */
  #header: number[] = [];
  /** Of this record, in bytes. */
  #left = 0;
  readonly #message = new ReceivedBytes();
  /** As many of the header of the message as are there. */
  readonly #head: number[] = [];
  /** With its header; undefined: that is not there yet. */
  #messageLength: number | undefined = undefined;

  /** Whether there is nothing to wait for any more. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** As the client wrote it; '' where it names none. */
  get serverName(): string {
    return this.#serverName;
  }

  /** Takes what came next. */
  add(bytes: Buffer): void {
    this.#bytes += bytes.length;
    let at = 0;
    while (at < bytes.length && !this.#isComplete) {
      if (this.#left === 0) {
        this.#takeOfHeader(bytes.readUInt8(at));
        at += 1;
        continue;
      }
      const fragment = bytes.subarray(at, at + this.#left);
      this.#takeFragment(fragment);
      this.#left -= fragment.length;
      at += fragment.length;
    }
    if (this.#bytes > BYTES_MAX) this.#isComplete = true;
  }

  #takeOfHeader(byte: number): void {
    this.#header.push(byte);
    if (this.#header.length < RECORD_HEADER_BYTES) return;
    const [type, , , high = 0, low = 0] = this.#header;
    this.#header = [];
    this.#left = high * 256 + low;
    if (type !== HANDSHAKE || this.#left > RECORD_BYTES_MAX) this.#isComplete = true;
  }

  #takeFragment(fragment: Buffer): void {
    const missing = MESSAGE_HEADER_BYTES - this.#head.length;
    this.#head.push(...fragment.subarray(0, missing));
    this.#message.add(fragment);
    if (this.#head.length < MESSAGE_HEADER_BYTES) return;
    this.#messageLength ??= this.#lengthInHead();
    if (this.#isComplete || this.#message.size < this.#messageLength) return;
    this.#serverName = serverNameIn(this.#message.take().subarray(0, this.#messageLength));
    this.#isComplete = true;
  }

  #lengthInHead(): number {
    const [type, high = 0, middle = 0, low = 0] = this.#head;
    const length = MESSAGE_HEADER_BYTES + high * 65_536 + middle * 256 + low;
    if (type !== CLIENT_HELLO || length > MESSAGE_BYTES_MAX) this.#isComplete = true;
    return length;
  }
}

function serverNameIn(message: Buffer): string {
  const hello = new Vectors(message.subarray(MESSAGE_HEADER_BYTES + BEGINNING_BYTES));
  hello.next(1); // Its session,
  hello.next(2); // the suites,
  hello.next(1); // and how it compresses.
  const extensions = new Vectors(hello.next(2));
  for (let type = extensions.number(2); type !== undefined; type = extensions.number(2)) {
    const content = extensions.next(2);
    if (type === SERVER_NAME) return hostNameIn(new Vectors(new Vectors(content).next(2)));
  }
  return '';
}

function hostNameIn(names: Vectors): string {
  for (let type = names.number(1); type !== undefined; type = names.number(1)) {
    const name = names.next(2);
    if (type === HOST_NAME) return name.toString('latin1');
  }
  return '';
}

/** Reads what TLS writes behind its length. What is not there is empty, and so is all behind it. */
class Vectors {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(lengthBytes: number): Buffer {
    const length = this.number(lengthBytes) ?? Infinity;
    const end = this.#at + length;
    const found = end > this.#bytes.length ? NOTHING : this.#bytes.subarray(this.#at, end);
    this.#at = Math.min(end, this.#bytes.length);
    return found;
  }

  /** undefined: there are fewer bytes. */
  number(lengthBytes: number): number | undefined {
    const at = this.#at;
    if (at + lengthBytes > this.#bytes.length) return undefined;
    this.#at += lengthBytes;
    return this.#bytes.readUIntBE(at, lengthBytes);
  }
}

const NOTHING = Buffer.alloc(0);
