/**
 * A subscription to lines of JSON: the log, changes, figures. The answer is read as fast as the client takes
 * it, so what is not read is not made.
 */
import type { Answer, StreamAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request/request.ts';
import type { SubscribeMessage } from '../../api/live/live-messages.ts';
import { badRequest, serviceUnavailable } from '../../api/meta/status.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { LiveCredit } from './live-credit.ts';
import { AskingOnce } from './live-request.ts';
import type { EventSink, LiveContext, Subscription } from './live-subscription.ts';
import { statusOfRefusal } from './refusal-status.ts';

const OK = 200;
const CLIENT_GONE = 499;
const LINE_BREAK = 0x0a;
const HEAD = Buffer.from('{"type":"LINE","object":');
const TAIL = Buffer.from('},');
/** Lines say their version first. */
const VERSION = /^\{"resourceVersion":(\d{1,16})[,}]/;
const VERSION_BYTES = 48;
/** A line that is longer is a fault of the server. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;

export class LineSubscription implements Subscription, EventSink {
  readonly id: string;
  readonly #context: LiveContext;
  readonly #subscribed: SubscribeMessage;
  readonly #credit: LiveCredit | undefined;
  readonly #gone = new AbortController();
  #request: AuthenticatedRequest | undefined;
  #whenGone: (() => void)[] = [];
  #resumed: (() => void) | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #reached = resourceVersion(0);
  /** Whether it has told all that it has to tell. */
  #hasEnded = false;
  /** Whether what is collected of it goes nowhere. */
  #isDropped = false;

  constructor(context: LiveContext, subscribed: SubscribeMessage) {
    this.id = subscribed.id;
    this.#context = context;
    this.#subscribed = subscribed;
    const { credit } = subscribed;
    this.#credit = credit === undefined ? undefined : new LiveCredit(credit);
  }

  get request(): AuthenticatedRequest | undefined {
    return this.#request;
  }

  get isClosed(): boolean {
    return this.#isDropped;
  }

  begin(): void {
    const { path, query = '' } = this.#subscribed;
    const asking = new AskingOnce(
      (request, answer) => {
        this.#answered(request, answer);
      },
      (callback) => {
        if (this.#isGone) callback();
        else this.#whenGone.push(callback);
      },
    );
    this.#context.requests.ask({ path, query }, asking);
  }

  /** What was read cannot be told from what would come: the client begins anew where it wants to. */
  askAgain(): void {
    this.#context.ended(this, serviceUnavailable('the stream has to be asked for again'));
  }

  resume(): void {
    this.#resumed?.();
  }

  ack(revision: number): void {
    if (this.#credit === undefined) return;
    this.#credit.ack(revision);
    if (!this.#credit.isSpent) this.resume();
  }

  show(): boolean {
    return false;
  }

  close(): void {
    if (this.#isGone) return;
    this.#isDropped = !this.#hasEnded;
    this.#gone.abort('the subscription has ended');
    this.#resumed?.();
    for (const callback of this.#whenGone.splice(0)) callback();
  }

  headOf(revision: ResourceVersion, count: number): Buffer {
    this.#credit?.sent(revision, count);
    return Buffer.from(
      `{"type":"next","id":${JSON.stringify(this.id)},"revision":"${String(revision)}","events":[`,
    );
  }

  get #isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  #answered(request: ReceivedRequest, answer: Answer): void {
    this.#context.hasBegun(this);
    if (answer.kind === 'Stream' && !this.#isGone) {
      this.#request = request as AuthenticatedRequest; // It has crossed the filters.
      this.#pump(answer).then(
        () => {
          this.#hasEnded = true;
          request.finish({ code: OK, sizeBytes: 0 });
          this.#context.ended(this);
        },
        (error: unknown) => {
          this.#hasEnded = true;
          request.finish({ code: OK, sizeBytes: 0 });
          const why = error instanceof Error ? error.message : String(error);
          this.#context.ended(this, serviceUnavailable(`the stream broke off: ${why}`));
        },
      );
      return;
    }
    const status =
      statusOfRefusal(request, answer) ?? badRequest('the answer is no stream of lines');
    request.finish({ code: this.#isGone ? CLIENT_GONE : status.code, sizeBytes: 0 });
    this.#context.ended(this, status);
  }

  async #pump({ chunks }: StreamAnswer): Promise<void> {
    for await (const chunk of chunks(this.#gone.signal)) {
      if (this.#isGone) return;
      this.#take(chunk);
      if (this.#hasRoom()) continue;
      await new Promise<void>((resolve) => {
        this.#resumed = resolve;
      });
      this.#resumed = undefined;
    }
  }

  #hasRoom(): boolean {
    return this.#credit?.isSpent !== true && this.#context.hasRoomFor(this);
  }

  #take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const parts: Buffer[] = [];
    const sizes: number[] = [];
    const revisions: ResourceVersion[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, start)) {
      const line = bytes.subarray(start, end);
      start = end + 1;
      parts.push(HEAD, line, TAIL);
      sizes.push(HEAD.length + line.length + TAIL.length);
      revisions.push(this.#versionOf(line));
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > LINE_BYTES_MAX) throw new Error('a line is too long');
    if (parts.length === 0) return;
    this.#credit?.take(sizes.length);
    const events = { revisions, sizes };
    this.#context.collect({ to: this, chunk: Buffer.concat(parts), events, isOrdered: false });
  }

  /** A line that says none is of the version before it. */
  #versionOf(line: Buffer): ResourceVersion {
    const found = VERSION.exec(line.toString('latin1', 0, VERSION_BYTES));
    if (found !== null) this.#reached = resourceVersion(Number(found[1]));
    return this.#reached;
  }
}
