/**
 * What a server sends on a connection: the heads of its answers, with a date, and their bodies.
 *
 * In the RFCs: RFC 9113, section 8.1.
 */
import { CODE, resetFrame } from './frames.ts';
import { Sender, type SenderParts } from './sender.ts';
import type { Http2Stream } from './stream.ts';

export interface AnswerSenderParts extends SenderParts<Http2Stream> {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const CONTINUE = 100;
const MS_PER_SECOND = 1_000;

export class AnswerSender extends Sender<Http2Stream> {
  readonly #now: () => number;
  #second = 0;
  #date = '';

  constructor(parts: AnswerSenderParts) {
    super(parts);
    this.#now = parts.now;
  }

  /**
   * The head of an answer that is cut off in the same turn: the client is to hear what it was. Not where
   * the client reads nothing, for it would be held.
   */
  sayHead(stream: Http2Stream): void {
    if (this.isFull) return;
    const head = stream.takeHead();
    if (head === undefined) return;
    const block = this.encoder.encode(head.code, head.headers, this.#dateNow());
    this.output.begin();
    this.output.headers(stream.id, block, false);
    this.say(this.output.copy());
  }

  protected override sendHead(stream: Http2Stream): boolean {
    const { output, encoder } = this;
    const isContinued = stream.takeContinue();
    if (isContinued) output.headers(stream.id, encoder.encode(CONTINUE, {}, ''), false);
    const head = stream.takeHead();
    if (head === undefined) return isContinued;
    output.headers(
      stream.id,
      encoder.encode(head.code, head.headers, this.#dateNow()),
      stream.isSaid,
    );
    if (stream.isSaid) this.sent(stream);
    return true;
  }

  /**
   * A client that still sends is told that there is no need to, as Go does, and in a write behind that of the answer:
   * curl takes an answer for broken that it reads together with its end.
   */
  protected override sayBehind(stream: Http2Stream): void {
    if (!stream.isReceived) this.say(resetFrame(stream.id, CODE.noError));
  }

  #dateNow(): string {
    const second = Math.floor(this.#now() / MS_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(second * MS_PER_SECOND).toUTCString();
    }
    return this.#date;
  }
}
