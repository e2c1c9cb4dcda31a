/**
 * Fairness: is there a seat for this request, and may it have it before others?
 *
 * One that has to wait, for a seat or with its seat for the thread, comes back to this actor as a message. Watches sit until they have sent what
 * they begin with; other long-running requests need no seat. Seats are given back in a note at the
 * end of the request, whatever ended it.
 *
 * In Kubernetes: WithPriorityAndFairness, apiserver/pkg/server/filters.
 */
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { Ticket } from '../flow-control/fair-queue.ts';
import type { FlowControl, Turn, TurnListener } from '../flow-control/flow-control.ts';
import { maxInFlight, tooManyRequestsAnswer } from '../flow-control/max-in-flight.ts';
import { isLongRunning, type RequestMetrics } from '../request/request-labels.ts';
import type { Seating } from '../request/request-layers.ts';
import type { AuthenticatedRequest, Note } from '../request/request.ts';

const TOO_MANY = 429;
const WAITING = 'apf-queue-wait';

/** It has waited for a seat. */
interface Seated {
  readonly type: 'seated';
  readonly request: AuthenticatedRequest;
  readonly turn: Turn;
}

/** It has waited for the thread. */
interface LetIn {
  readonly type: 'letIn';
  readonly request: AuthenticatedRequest;
  readonly turn: Turn;
}

interface TurnedAway {
  readonly type: 'turnedAway';
  readonly request: AuthenticatedRequest;
  readonly turn: Turn;
}

export type FairnessMessage = AuthenticatedRequest | Seated | LetIn | TurnedAway;

export interface PriorityAndFairnessDependencies {
  /** undefined: requests are only counted. */
  readonly flowControl?: FlowControl | undefined;
  /** Where there is no flow control; 0: no limit. */
  readonly limits: {
    readonly maxRequestsInFlight: number;
    readonly maxMutatingRequestsInFlight: number;
  };
  readonly faults: Faults;
  readonly metrics?: Pick<RequestMetrics, 'terminated'> | undefined;
}

export function priorityAndFairness(
  { flowControl, limits, faults, metrics }: PriorityAndFairnessDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthenticatedRequest> {
  if (flowControl !== undefined) return seatsInTurn({ flowControl, faults, metrics }, next);
  const { maxRequestsInFlight: readsMax, maxMutatingRequestsInFlight: writesMax } = limits;
  return maxInFlight({ readsMax, writesMax, faults, metrics }, next);
}

interface SeatsDependencies extends Pick<PriorityAndFairnessDependencies, 'faults' | 'metrics'> {
  readonly flowControl: FlowControl;
}

function seatsInTurn(
  { flowControl, faults, metrics }: SeatsDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<FairnessMessage> {
  const { thread } = flowControl;
  const { leave, uncount } = notesOf(flowControl);
  let listener: TurnListener | undefined;

  function serve(request: AuthenticatedRequest, turn: Turn): void {
    if (request.info.verb === 'watch') {
      seatWatch(flowControl, request, turn);
      request.atTheEnd(uncount);
    }
    tell(request, turn);
    return passOn(next, request);
  }

  function refuse(request: AuthenticatedRequest, turn: Turn): void {
    tell(request, turn);
    metrics?.terminated(request, TOO_MANY);
    return request.reply(tooManyRequestsAnswer(request, flowControl.retryAfterOf(turn)));
  }

  function arrive(request: AuthenticatedRequest, self: Ref<FairnessMessage>): void {
    listener ??= listenerOf(self);
    const turn = flowControl.begin(request, listener);
    const { state } = turn.ticket;
    if (state === 'rejected') return refuse(request, turn);
    request.seatedBy(turn);
    request.atTheEnd(leave);
    // A request that has to wait comes back as a message.
    if (state === 'executing') sit(request, turn, self);
  }

  /** It has its seat; now for the thread. */
  function sit(request: AuthenticatedRequest, turn: Turn, self: Ref<FairnessMessage>): void {
    const { ticket, flow } = turn;
    const seats = ticket.initialSeats;
    if (flow.level.spec.isExempt || thread.enter(seats)) return serve(request, turn);
    thread.wait(flow, seats, () => {
      if (ticket.state === 'executing') self.send({ type: 'letIn', request, turn });
    });
  }

  return {
    name: 'priority-and-fairness',

    receive(message, self) {
      if (message.type === 'letIn') {
        serve(message.request, message.turn);
      } else if (message.type === 'seated') {
        const { ticket } = message.turn;
        message.request.took(WAITING, ticket.startedAt - ticket.arrivedAt);
        sit(message.request, message.turn, self);
      } else if (message.type === 'turnedAway') {
        const { ticket } = message.turn;
        message.request.took(WAITING, ticket.waitsUntil - ticket.arrivedAt);
        refuse(message.request, message.turn);
      } else if (message.info.verb !== 'watch' && isLongRunning(message.info)) {
        passOn(next, message);
      } else {
        arrive(message, self);
      }
    },

    fault(message, error) {
      faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}

function listenerOf(self: Ref<FairnessMessage>): TurnListener {
  function send(type: 'seated' | 'turnedAway', turn: Turn): void {
    const { request } = turn.ticket;
    if (request !== undefined) self.send({ type, request, turn });
  }
  return {
    letIn(turn) {
      send('seated', turn);
    },
    turnAway(turn) {
      send('turnedAway', turn);
    },
  };
}

/** The same for all requests, since a closure for each would be held as long as a watch is open. */
function notesOf(flowControl: FlowControl): Record<'leave' | 'uncount', Note> {
  return {
    leave: ({ seating }) => {
      if (seating !== undefined && isTurn(seating)) flowControl.end(seating);
    },
    uncount: ({ info }) => {
      if (info !== undefined) flowControl.watches.remove(info);
    },
  };
}

/** It sits no longer than it takes to begin, though writes are wider while it is open. */
function seatWatch(flowControl: FlowControl, request: AuthenticatedRequest, turn: Turn): void {
  flowControl.watches.add(request.info);
  request.whenInitialized(() => {
    flowControl.end(turn);
    request.seatedBy(formerSeating(turn));
  });
}

/** A watch is open for long, and a ticket has much that only queues need. One object, as there are thousands. */
class FormerSeating implements Seating {
  readonly flow: Seating['flow'];
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly lingerMs: number;
  readonly startedAt: number;

  constructor({ flow, ticket }: Turn) {
    this.flow = flow;
    this.initialSeats = ticket.initialSeats;
    this.finalSeats = ticket.finalSeats;
    this.lingerMs = ticket.lingerMs;
    this.startedAt = ticket.startedAt;
  }

  get ticket(): Seating['ticket'] {
    return this;
  }
}

let newest: FormerSeating | undefined;

/** Those that began in the same millisecond, as hundreds do of one connection, have the same one. */
function formerSeating(turn: Turn): FormerSeating {
  const { flow, ticket } = turn;
  const isSame =
    newest?.flow === flow &&
    newest.startedAt === ticket.startedAt &&
    newest.initialSeats === ticket.initialSeats &&
    newest.finalSeats === ticket.finalSeats &&
    newest.lingerMs === ticket.lingerMs;
  if (newest !== undefined && isSame) return newest;
  newest = new FormerSeating(turn);
  return newest;
}

function isTurn(seating: Seating): seating is Turn {
  return seating.ticket instanceof Ticket;
}

/** The client is told UIDs and not names, which might say more than it should know. */
function tell(request: AuthenticatedRequest, turn: Turn): void {
  const { responseHeaders } = request;
  const { flow } = turn;
  responseHeaders['X-Kubernetes-Pf-Prioritylevel-Uid'] = flow.level.spec.uid;
  responseHeaders['X-Kubernetes-Pf-Flowschema-Uid'] = flow.flowSchema.uid;
}
