/**
 * The server's life as a statechart: starting, ready, shutting down in five steps, stopped.
 *
 *     starting ─started─► ready ─stop─► delaying ─► closing ─► draining ─► endingWatches ─►
 *                                                                       flushing ─► stopped
 *
 * `/readyz` fails from `delaying` on, before anything else changes, so that load balancers
 * turn away while everything still works. A step that fails or hangs does not keep the later
 * ones from their turn: the log must be flushed whatever happened before.
 *
 * In Kubernetes: GenericAPIServer.Run, apiserver/pkg/server.
 */
import { createActor, fromPromise, setup, type ActorRefFrom } from 'xstate';
import type { Clock } from '../../api/meta/clock.ts';
import { xstateClock } from '../../api/meta/xstate-clock.ts';
import type { HealthCheck } from './health-checks.ts';

export type LifecycleState =
  | 'starting'
  | 'ready'
  | 'delaying'
  | 'closing'
  | 'draining'
  | 'endingWatches'
  | 'flushing'
  | 'stopped';

/** What shutting down does, in this order. Each may be asked once only. */
export interface ShutdownSteps {
  /** Lets nobody new in: neither connections nor requests. */
  closeDoors(): Promise<void>;
  /** Settles when the requests under way have been answered. */
  drainRequests(): Promise<void>;
  /** Ends watches cleanly and closes what connections are left. */
  endWatches(): Promise<void>;
  /** Writes out what is not on disk yet, and lets go of the data directory. */
  flush(): Promise<void>;
}

export interface LifecycleDependencies {
  readonly clock: Clock;
  readonly steps: ShutdownSteps;
  /** How long to go on serving while `/readyz` already fails. */
  readonly shutdownDelayMs: number;
  /** How long each step may take before the next one begins without it. */
  readonly stepTimeoutMs: number;
  /** Hears of steps that failed or took too long. */
  readonly onProblem: (step: LifecycleState, error: unknown) => void;
}

export interface ServerLifecycle {
  readonly state: LifecycleState;
  /** Call it once when everything runs. */
  started(): void;
  /** Begins to shut down; a second call only waits with the first. Settles when all has stopped. */
  stop(): Promise<void>;
  /** For `/readyz`: fails from the moment of `stop`. */
  readonly shutdownCheck: HealthCheck;
}

type StepName = keyof ShutdownSteps;

function machineOf({ steps, shutdownDelayMs, stepTimeoutMs, onProblem }: LifecycleDependencies) {
  const step = fromPromise(({ input }: { input: StepName }) => steps[input]());
  const types = {
    events: {} as { type: 'started' } | { type: 'stop' }, // How xstate is told of types.
  };
  function performing(state: LifecycleState, input: StepName, target: LifecycleState) {
    return {
      invoke: {
        src: 'step',
        input,
        onDone: target,
        onError: {
          target,
          actions: ({ event }: { event: { error: unknown } }) => {
            onProblem(state, event.error);
          },
        },
      },
      after: {
        stepTimeout: {
          target,
          actions: () => {
            onProblem(state, new Error(`${state} took too long`));
          },
        },
      },
    } as const;
  }
  return setup({
    types,
    actors: { step },
    delays: { shutdownDelay: shutdownDelayMs, stepTimeout: stepTimeoutMs },
  }).createMachine({
    id: 'server-lifecycle',
    initial: 'starting',
    states: {
      starting: { on: { started: 'ready', stop: 'closing' } },
      ready: { on: { stop: 'delaying' } },
      delaying: { after: { shutdownDelay: 'closing' } },
      closing: performing('closing', 'closeDoors', 'draining'),
      draining: performing('draining', 'drainRequests', 'endingWatches'),
      endingWatches: performing('endingWatches', 'endWatches', 'flushing'),
      flushing: performing('flushing', 'flush', 'stopped'),
      stopped: { type: 'final' },
    },
  });
}

export function serverLifecycle(dependencies: LifecycleDependencies): ServerLifecycle {
  const actor = createActor(machineOf(dependencies), { clock: xstateClock(dependencies.clock) });
  actor.start();
  const stopped = stoppingOf(actor);
  return {
    get state() {
      return actor.getSnapshot().value;
    },
    started() {
      actor.send({ type: 'started' });
    },
    stop() {
      if (actor.getSnapshot().status === 'active') actor.send({ type: 'stop' });
      return stopped;
    },
    shutdownCheck: {
      name: 'shutdown',
      problem() {
        const { value } = actor.getSnapshot();
        return value === 'starting' || value === 'ready' ? undefined : 'process is shutting down';
      },
    },
  };
}

function stoppingOf(actor: ActorRefFrom<ReturnType<typeof machineOf>>): Promise<void> {
  return new Promise((resolve) => {
    actor.subscribe({ complete: resolve });
  });
}
