/**
 * What a controller has still to look at: names, each once however often it was added, some looked
 * at side by side. What fails is looked at again, later each time.
 *
 * An actor: names come as messages, and so does word of what became of them.
 * In Kubernetes: client-go/util/workqueue with its default rate limiter.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { type Behavior, type Ref, startActor } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { figuresOf, type WorkQueueFigures } from './work-queue-figures.ts';

/** `later`: what it takes is not there yet. */
export type WorkOutcome = 'done' | 'later';

export interface QueuedWork {
  /** Kebab-case. */
  readonly name: string;
  /** Looks at one name. A rejection is recorded, and the name looked at again later too. */
  readonly work: (key: string) => Promise<WorkOutcome>;
  /** How many names are looked at side by side; a name never twice at a time. */
  readonly width: number;
  /** The longest time until a name that fails is looked at again; 5 seconds unless said. */
  readonly delayMaxMs?: number;
}

export interface WorkQueueParts {
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'record'>;
}

export interface WorkQueue {
  /** A name that is being looked at now is looked at once more afterwards. */
  add(key: string): void;
  /** Takes nothing new any more. Resolves when nothing is being looked at. */
  stop(): Promise<void>;
}

type Message =
  | { readonly type: 'added'; readonly key: string }
  | { readonly type: 'looked'; readonly key: string; readonly outcome: WorkOutcome }
  | { readonly type: 'stop'; readonly stopped: () => void };

const MS_PER_SECOND = 1_000;
const FIRST_DELAY_MS = 5;

/** Nothing is spared by waiting longer: all of this is one process. */
const DELAY_MAX_MS = 5_000;

/**
 * Starts the actor; `queued.work` is called with one name at a time, for up to `width` names side
 * by side.
 */
export function startWorkQueue(queued: QueuedWork, parts: WorkQueueParts): WorkQueue {
  const actor = startActor(new QueueBehavior(queued, parts));
  return {
    add(key) {
      actor.send({ type: 'added', key });
    },
    stop: () =>
      new Promise((stopped) => {
        actor.send({ type: 'stop', stopped });
      }),
  };
}

class QueueBehavior implements Behavior<Message> {
  readonly name: string;
  readonly #queued: QueuedWork;
  readonly #parts: WorkQueueParts;
  /** In the order in which they came, and when they did. */
  readonly #waiting = new Map<string, number>();
  readonly #figures: WorkQueueFigures;
  /** Those being looked at, and whether they were added again meanwhile. */
  readonly #underWay = new Map<string, boolean>();
  readonly #failures = new Map<string, number>();
  readonly #retries = new Set<() => void>();
  #stopped: (() => void) | undefined;

  constructor(queued: QueuedWork, parts: WorkQueueParts) {
    this.#queued = queued;
    this.#parts = parts;
    this.name = queued.name;
    this.#figures = figuresOf(queued.name);
  }

  receive(message: Message, self: Ref<Message>): void {
    switch (message.type) {
      case 'added':
        this.#add(message.key);
        break;
      case 'looked':
        this.#looked(message.key, message.outcome, self);
        break;
      case 'stop':
        this.#stop(message.stopped);
        break;
    }
    this.#goOn(self);
  }

  fault(_message: Message, error: unknown): void {
    return this.#parts.faults.record(this.name, error);
  }

  #add(key: string): void {
    if (this.#stopped !== undefined) return;
    this.#figures.adds += 1;
    if (this.#underWay.has(key)) {
      this.#underWay.set(key, true);
    } else if (!this.#waiting.has(key)) {
      this.#waiting.set(key, this.#parts.clock.now());
      this.#figures.depth += 1;
    }
  }

  #looked(key: string, outcome: WorkOutcome, self: Ref<Message>): void {
    const again = this.#underWay.get(key) === true;
    this.#underWay.delete(key);
    if (outcome === 'later') this.#retry(key, self);
    else this.#failures.delete(key);
    if (again) this.#add(key);
  }

  #retry(key: string, self: Ref<Message>): void {
    if (this.#stopped !== undefined) return;
    this.#figures.retries += 1;
    const { delayMaxMs = DELAY_MAX_MS } = this.#queued;
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** failures, delayMaxMs);
    const cancel = this.#parts.clock.after(delayMs, () => {
      this.#retries.delete(cancel);
      self.send({ type: 'added', key });
    });
    this.#retries.add(cancel);
  }

  #stop(stopped: () => void): void {
    this.#stopped = stopped;
    this.#figures.depth -= this.#waiting.size;
    this.#waiting.clear();
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
  }

  #goOn(self: Ref<Message>): void {
    for (const [key, addedAt] of this.#waiting) {
      if (this.#underWay.size >= this.#queued.width) break;
      this.#waiting.delete(key);
      this.#figures.depth -= 1;
      this.#figures.queueSeconds.observe((this.#parts.clock.now() - addedAt) / MS_PER_SECOND);
      this.#underWay.set(key, false);
      void this.#look(key, self);
    }
    if (this.#underWay.size === 0) this.#stopped?.();
  }

  async #look(key: string, self: Ref<Message>): Promise<void> {
    let outcome: WorkOutcome = 'later';
    const begun = { at: this.#parts.clock.now() };
    this.#figures.begun.add(begun);
    try {
      // Not on the stack of the caller that added it, which may be the fold.
      await Promise.resolve();
      outcome = await this.#queued.work(key);
    } catch (error) {
      this.#parts.faults.record(`${this.name} ${key}`, error);
    }
    this.#figures.begun.delete(begun);
    this.#figures.workSeconds.observe((this.#parts.clock.now() - begun.at) / MS_PER_SECOND);
    self.send({ type: 'looked', key, outcome });
  }
}
