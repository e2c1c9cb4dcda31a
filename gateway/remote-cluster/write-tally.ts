/**
 * Writes objects one after the other, namespaces and definitions of other resources first, and counts
 * the outcomes. A change that comes before an object that it needs is held until that object is there,
 * or until the end.
 */
import type { LoggedEvent } from '../../streams/event.ts';
import { HeldWrites, RefusedError } from './held-writes.ts';
import type { ObjectWriter, WriteOutcome } from './object-writer.ts';

const FIRST: ReadonlySet<string> = new Set([
  'core/namespaces',
  'apiextensions.k8s.io/customresourcedefinitions',
]);

/** Those that come first, or the others. */
export function inWritingOrder(
  events: readonly LoggedEvent[],
  isFirst: boolean,
): readonly LoggedEvent[] {
  return events.filter(({ resource }) => FIRST.has(resource) === isFirst);
}

/**
 * They judge what is written behind them. What a log has was judged where it comes from, so they come last:
 * else a limit range would change pods that were there before it. In this order, as no webhook is asked about
 * the configuration of webhooks, but each may be asked, and waited for, about all else.
 */
const LAST: readonly string[] = [
  'core/limitranges',
  'core/resourcequotas',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
];

/** Objects of one moment that are written beside each other. */
const AT_ONCE = 16;

const OUTCOMES: readonly WriteOutcome[] = [
  'created',
  'replaced',
  'recreated',
  'deleted',
  'unchanged',
];

/** Writes changes, and counts their outcomes. */
export class WriteTally {
  readonly #writer: ObjectWriter;
  readonly #refused: (problem: string) => void;
  readonly #counts = new Map<WriteOutcome, number>();
  readonly #held = new HeldWrites();
  /** By object, the latest change of those that come last. */
  readonly #last = new Map<string, LoggedEvent>();
  /** By object, why its latest change was not taken. */
  readonly #refusals = new Map<string, string>();
  #errors = 0;

  /** @param refused told what the cluster did not take. */
  constructor(writer: ObjectWriter, refused: (problem: string) => void) {
    this.#writer = writer;
    this.#refused = refused;
  }

  get errors(): number {
    return this.#errors;
  }

  /** How many were tried. */
  get count(): number {
    let all = this.#errors + this.#held.size + this.#last.size;
    for (const count of this.#counts.values()) all += count;
    return all;
  }

  /**
   * @returns whether it was taken, or is held, or comes last, and with it all that was held for its sake.
   * @throws ClusterUnreachableError
   */
  write(event: LoggedEvent): Promise<boolean> {
    const key = `${event.resource} ${event.path}`;
    this.#last.delete(key);
    if (!LAST.includes(event.resource) || event.type === 'deleted') return this.#write(event);
    this.#last.set(key, event);
    return Promise.resolve(true);
  }

  /**
   * Writes objects that were there at the same time, so that none has to come before the other: several
   * are under way at once.
   *
   * @returns whether all were taken, as for {@link write}. @throws ClusterUnreachableError
   */
  async writeState(events: Iterable<LoggedEvent>): Promise<boolean> {
    const waiting = events[Symbol.iterator]();
    let areTaken = true;
    const writeOn = async (): Promise<void> => {
      for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
        areTaken = (await this.write(next.value)) && areTaken;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, writeOn));
    return areTaken;
  }

  async #write(event: LoggedEvent): Promise<boolean> {
    this.#held.drop(event);
    const refusal = await this.#tried(event);
    if (refusal?.need !== undefined) this.#held.hold(event, refusal.need);
    else if (refusal !== undefined) return this.#fail(event, refusal);
    let areTaken = true;
    const released = refusal === undefined ? this.#held.releasedBy(event) : [];
    for (const one of released) areTaken = (await this.write(one)) && areTaken;
    return (await this.#link()) && areTaken;
  }

  /** Objects whose owner is there by now are written once more, which counts as nothing new. */
  async #link(): Promise<boolean> {
    let areTaken = true;
    // What is made anew for it may own others.
    for (let next = this.#writer.takeUnlinked(); next.length > 0;) {
      for (const event of next) {
        const refusal = await this.#refusal(() => this.#writer.write(event));
        if (refusal !== undefined) areTaken = this.#fail(event, refusal);
      }
      next = this.#writer.takeUnlinked();
    }
    return areTaken;
  }

  /**
   * Nothing more comes: what is held is tried as long as any of it is taken, and then counts as refused;
   * what judges others is written behind all of them.
   *
   * @returns whether all was taken. @throws ClusterUnreachableError
   */
  async finish(): Promise<boolean> {
    let areTaken = true;
    for (let before = Infinity; this.#held.size < before;) {
      before = this.#held.size;
      for (const event of this.#held.all()) areTaken = (await this.write(event)) && areTaken;
    }
    for (const resource of LAST) {
      const last = [...this.#last.values()].filter((event) => event.resource === resource);
      for (const event of last) areTaken = (await this.#write(event)) && areTaken;
    }
    this.#last.clear();
    for (const event of this.#held.all()) {
      const refusal = await this.#tried(event);
      if (refusal !== undefined) areTaken = this.#fail(event, refusal);
    }
    areTaken = (await this.#link()) && areTaken;
    for (const what of this.#writer.ownerless()) {
      this.#refused(`${what}, which is not there: the reference is left out`);
    }
    return areTaken;
  }

  #tried(event: LoggedEvent): Promise<RefusedError | undefined> {
    return this.#refusal(async () => {
      const outcome = await this.#writer.write(event);
      this.#refusals.delete(`${event.resource} ${event.path}`);
      this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    });
  }

  async #refusal(writing: () => Promise<unknown>): Promise<RefusedError | undefined> {
    try {
      await writing();
      return undefined;
    } catch (error) {
      if (error instanceof RefusedError) return error;
      throw error;
    }
  }

  #fail(event: LoggedEvent, refusal: RefusedError): false {
    this.#errors += 1;
    this.#refusals.set(`${event.resource} ${event.path}`, refusal.message);
    this.#refused(`version ${String(event.resourceVersion)}: ${refusal.message}`);
    return false;
  }

  /** The counts, and the objects whose latest change was not taken, each with the reason. */
  text(output: 'table' | 'json'): string {
    const counts = OUTCOMES.map((outcome) => [outcome, this.#counts.get(outcome) ?? 0] as const);
    if (output === 'json') {
      const refused = Object.fromEntries(this.#refusals);
      const told = { ...Object.fromEntries(counts), errors: this.#errors, refused };
      return `${JSON.stringify(told)}\n`;
    }
    const said = counts
      .filter(([, count]) => count > 0)
      .map(([outcome, count]) => `${String(count)} ${outcome}`);
    said.push(`${String(this.#errors)} errors`);
    const left = [...this.#refusals].map(
      ([object, why]) => `not as in the log: ${object}: ${why}\n`,
    );
    return `${said.join(', ')}\n${left.join('')}`;
  }
}
