/**
 * How far the server may run ahead of a client that acks: counts the events that are under way and those
 * that were sent and not acked. A frame may go beyond the credit; behind it nothing does.
 */
import type { ResourceVersion } from '../../streams/resource-version.ts';

interface Sent {
  readonly revision: ResourceVersion;
  readonly events: number;
}

export class LiveCredit {
  readonly #events: number;
  #sent: Sent[] = [];
  #sentEvents = 0;
  #underWay = 0;

  constructor(events: number) {
    this.#events = events;
  }

  get isSpent(): boolean {
    return this.#sentEvents + this.#underWay >= this.#events;
  }

  /** So many will be sent. */
  take(events: number): void {
    this.#underWay += events;
  }

  /** They were sent, in one frame. */
  sent(revision: ResourceVersion, events: number): void {
    this.#underWay -= events;
    this.#sentEvents += events;
    this.#sent.push({ revision, events });
  }

  /** Frees all frames of smaller revisions, and the oldest one of this. */
  ack(revision: number): void {
    let count = this.#sent.findIndex((frame) => frame.revision >= revision);
    if (count < 0) count = this.#sent.length;
    else if (this.#sent[count]?.revision === revision) count += 1;
    for (const { events } of this.#sent.splice(0, count)) this.#sentEvents -= events;
  }

  /** What is under way will not be sent: the subscription begins anew. */
  forget(): void {
    this.#underWay = 0;
  }
}
