/**
 * One priority level as it is served now: its queues, its seats, and what is known of its demand.
 *
 * In Kubernetes: priorityLevelState, apiserver/pkg/util/flowcontrol.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { DroppedRequests } from './dropped-requests.ts';
import { FairQueues } from './fair-queues.ts';
import type { LevelSpec } from './level-spec.ts';
import { SeatDemand } from './seats.ts';

export class PriorityLevel {
  readonly name: string;
  readonly demand: SeatDemand;
  readonly queues: FairQueues;
  readonly dropped = new DroppedRequests();
  spec: LevelSpec;
  /** It is not wanted any more: it goes when its last request has gone. */
  isQuiescing = false;
  /** Seats by its shares; what it keeps when it lends, and has when it borrows, at most. */
  nominal = 0;
  lower = 0;
  upper = 0;
  /** What it has just now. undefined: it was not told yet. */
  current: number | undefined = undefined;
  /** What it was to have when seats were shared out last. */
  target = 0;
  /** What one request may take at most; 0: no more than any request. */
  seatsMax = 0;

  constructor(spec: LevelSpec, clock: Clock) {
    this.name = spec.name;
    this.spec = spec;
    this.demand = new SeatDemand(clock.now());
    this.queues = new FairQueues(clock, this.demand);
  }

  /** From now on it has these seats, and queues as its spec says. */
  give(seats: number): void {
    this.current = seats;
    this.queues.configure(this.spec.queuing, seats);
  }
}
