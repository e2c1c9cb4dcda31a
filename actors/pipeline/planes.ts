/**
 * Behind the filters, in front of dispatch: which control plane is asked? The main one, or the fork
 * that the path names. A fork exists if its object does; it is opened while the first request waits.
 */
import { FORK_GROUP, FORKS } from '../../api/everwatch/fork-facts.ts';
import { internalError, notFound, serviceUnavailable } from '../../api/meta/status.ts';
import type { ReadMoment } from '../../projections/read-moment.ts';
import { type Behavior, passOn, type Ref, wait } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { ForkPlane } from '../forks/held-fork.ts';
import { ForksClosedError, type OpenForks } from '../forks/open-forks.ts';
import { statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../request/request.ts';
import { refuseForShutdown } from '../request/under-way.ts';
import type { Fork, ForkBases } from '../served-resources/fork-bases.ts';

export interface PlanesParts {
  /** The main control plane. */
  readonly main: Ref<AuthenticatedRequest>;
  readonly bases: Pick<ForkBases, 'find'>;
  readonly forks: Pick<OpenForks, 'enter'>;
  /** Of the main control plane. */
  readonly moment: ReadMoment;
  readonly faults: Faults;
}

/** Everything that was written before the request came is applied by now. */
interface CaughtUp {
  readonly type: 'caughtUp';
  readonly request: AuthenticatedRequest;
}

interface ForkOpened {
  readonly type: 'forkOpened';
  readonly request: AuthenticatedRequest;
  readonly fork: Fork;
  readonly plane: ForkPlane;
}

interface ForkNotOpened {
  readonly type: 'forkNotOpened';
  readonly request: AuthenticatedRequest;
  readonly error: unknown;
}

export type PlanesMessage = AuthenticatedRequest | CaughtUp | ForkOpened | ForkNotOpened;

export function planes(parts: PlanesParts): Behavior<PlanesMessage> {
  return new Planes(parts);
}

class Planes implements Behavior<PlanesMessage> {
  readonly name = 'planes';
  readonly #parts: PlanesParts;
  /** Those whose client has gone while they waited. */
  readonly #ended = new WeakSet<ReceivedRequest>();

  constructor(parts: PlanesParts) {
    this.#parts = parts;
  }

  receive(message: PlanesMessage, self: Ref<PlanesMessage>): void {
    switch (message.type) {
      case 'request':
        return this.#seek(message, self);
      case 'caughtUp':
        return this.#seekAgain(message.request, self);
      case 'forkOpened':
        return this.#goOn(message);
      case 'forkNotOpened':
        return this.#refuse(message);
    }
  }

  fault(message: PlanesMessage, error: unknown): void {
    const request = message.type === 'request' ? message : message.request;
    this.#parts.faults.record('finding the control plane of a request', error);
    return request.reply(statusAnswer(internalError(error)));
  }

  #seek(request: AuthenticatedRequest, self: Ref<PlanesMessage>): void {
    const { main, bases, moment } = this.#parts;
    const { fork: name } = request.info;
    if (name === '') return passOn(main, request);
    const fork = bases.find(name);
    if (fork !== undefined) return this.#enter(fork, request, self);
    request.atTheEnd((one) => this.#ended.add(one));
    // It may have been made on another server a moment ago.
    const newest = moment.newest();
    if (!(newest instanceof Promise)) return this.#seekAgain(request, self);
    return wait(
      self,
      newest.then((): PlanesMessage => ({ type: 'caughtUp', request })),
    );
  }

  #seekAgain(request: AuthenticatedRequest, self: Ref<PlanesMessage>): void {
    // A client that was told 504 in the meantime, or has gone, is not waiting any more.
    if (request.answered || this.#ended.has(request)) return;
    const fork = this.#parts.bases.find(request.info.fork);
    return fork === undefined ? unknown(request) : this.#enter(fork, request, self);
  }

  #enter(fork: Fork, request: AuthenticatedRequest, self: Ref<PlanesMessage>): void {
    const plane = this.#parts.forks.enter(fork, request);
    if (!(plane instanceof Promise)) return passOn(plane.dispatch, request);
    return wait(
      self,
      plane.then(
        (opened): PlanesMessage => ({ type: 'forkOpened', request, fork, plane: opened }),
        (error: unknown): PlanesMessage => ({ type: 'forkNotOpened', request, error }),
      ),
    );
  }

  #goOn({ request, fork, plane }: ForkOpened): void {
    if (request.answered) return;
    const isStillThere = this.#parts.bases.find(fork.name)?.uid === fork.uid;
    return isStillThere ? passOn(plane.dispatch, request) : unknown(request);
  }

  #refuse({ request, error }: ForkNotOpened): void {
    if (error instanceof ForksClosedError) return refuseForShutdown(request);
    const { fork } = request.info;
    this.#parts.faults.record(`opening the fork ${fork}`, error);
    const sentence = `the fork ${fork} cannot be opened at the moment`;
    return request.reply(statusAnswer(serviceUnavailable(sentence)));
  }
}

function unknown(request: AuthenticatedRequest): void {
  const about = { group: FORK_GROUP, resource: FORKS };
  return request.reply(statusAnswer(notFound(about, request.info.fork)));
}
