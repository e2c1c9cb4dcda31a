/**
 * The server's life as a statechart: starting, ready, shutting down step by step, stopped.
 *
 *     starting ─started─► ready ─stop─► delaying ─► refusing ─► closing ─► draining ─►
 *                                                       endingWatches ─► flushing ─► stopped
 *
 * `/readyz` fails from `delaying` on, before anything else changes, so that load balancers
 * turn away while everything still works; meanwhile the hooks run. Where new requests are to be
 * answered with 429, the doors close behind the draining and not before it. A step that fails or
 * hangs does not keep the later ones from their turn: the log must be flushed whatever happened.
 *
 * In Kubernetes: GenericAPIServer.Run, apiserver/pkg/server.
 */
import { createActor, fromPromise, setup, type ActorRefFrom } from 'xstate';
import type { Clock } from '../../api/meta/clock.ts';
import { xstateClock } from '../../api/meta/xstate-clock.ts';
import type { HealthCheck } from './health-checks.ts';
import type { LifecycleSignals, SignalName } from './lifecycle-signals.ts';

export type LifecycleState =
  | 'starting'
  | 'ready'
  | 'delaying'
  | 'refusing'
  | 'closing'
  | 'draining'
  | 'endingWatches'
  | 'flushing'
  | 'stopped';

/** What shutting down does, in this order. Each may be asked once only. */
export interface ShutdownSteps {
  /** The hooks before the shutdown; the server works as ever meanwhile. */
  runHooks(): Promise<void>;
  /** Lets no new request in. */
  refuseRequests(): Promise<void>;
  /** Lets no new connection in. */
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
  readonly signals: LifecycleSignals;
  /** How long to go on serving while `/readyz` already fails. */
  readonly shutdownDelayMs: number;
  /** The doors stay open until the requests under way are answered. */
  readonly closesDoorsLast: boolean;
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

interface Performance {
  readonly state: LifecycleState;
  readonly step: StepName;
  readonly target: string;
  /** Given at the end. */
  readonly signal?: SignalName;
}

/** A state that performs one step and then goes on, whatever became of it. */
function performing(
  { onProblem, signals }: LifecycleDependencies,
  { state, step: input, target, signal }: Performance,
) {
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
    exit: signal === undefined ? [] : giving(signals, signal),
  } as const;
}

function giving(signals: LifecycleSignals, name: SignalName): () => void {
  return () => {
    signals.give(name);
  };
}

/** The delay and the hooks, side by side; both must be over. */
function delaying(dependencies: LifecycleDependencies) {
  const { signals } = dependencies;
  const running = performing(dependencies, {
    state: 'delaying',
    step: 'runHooks',
    target: 'done',
    signal: 'PreShutdownHooksStopped',
  });
  return {
    type: 'parallel',
    entry: giving(signals, 'ShutdownInitiated'),
    states: {
      delay: {
        initial: 'passing',
        states: {
          passing: { after: { shutdownDelay: 'over' } },
          over: { type: 'final', entry: giving(signals, 'AfterShutdownDelayDuration') },
        },
      },
      hooks: { initial: 'running', states: { running, done: { type: 'final' } } },
    },
    onDone: 'refusing',
  } as const;
}

function machineOf(dependencies: LifecycleDependencies) {
  const { steps, signals, shutdownDelayMs, stepTimeoutMs, closesDoorsLast } = dependencies;
  const step = fromPromise(({ input }: { input: StepName }) => steps[input]());
  const types = {
    events: {} as { type: 'started' } | { type: 'stop' }, // How xstate is told of types.
  };
  const does = (performance: Performance) => performing(dependencies, performance);
  const afterRefusing = closesDoorsLast ? 'draining' : 'closing';
  const afterClosing = closesDoorsLast ? 'endingWatches' : 'draining';
  const afterDraining = closesDoorsLast ? 'closing' : 'endingWatches';
  return setup({
    types,
    actors: { step },
    delays: { shutdownDelay: shutdownDelayMs, stepTimeout: stepTimeoutMs },
  }).createMachine({
    id: 'server-lifecycle',
    initial: 'starting',
    states: {
      starting: {
        on: {
          started: { target: 'ready', actions: giving(signals, 'MuxAndDiscoveryComplete') },
          stop: { target: 'refusing', actions: giving(signals, 'ShutdownInitiated') },
        },
      },
      ready: { on: { stop: 'delaying' } },
      delaying: delaying(dependencies),
      refusing: {
        ...does({ state: 'refusing', step: 'refuseRequests', target: afterRefusing }),
        entry: giving(signals, 'NotAcceptingNewRequest'),
      },
      closing: does({
        state: 'closing',
        step: 'closeDoors',
        target: afterClosing,
        signal: 'HTTPServerStoppedListening',
      }),
      draining: does({
        state: 'draining',
        step: 'drainRequests',
        target: afterDraining,
        signal: 'InFlightRequestsDrained',
      }),
      endingWatches: does({
        state: 'endingWatches',
        step: 'endWatches',
        target: 'flushing',
      }),
      flushing: does({ state: 'flushing', step: 'flush', target: 'stopped' }),
      stopped: { type: 'final' },
    },
  });
}

export function serverLifecycle(dependencies: LifecycleDependencies): ServerLifecycle {
  const actor = createActor(machineOf(dependencies), { clock: xstateClock(dependencies.clock) });
  actor.start();
  const stopped = stoppingOf(actor);
  const stateNow = (): LifecycleState => {
    const { value } = actor.getSnapshot();
    // The state with two sides is named by them; there is one of the kind.
    return typeof value === 'string' ? value : 'delaying';
  };
  return {
    get state() {
      return stateNow();
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
        const state = stateNow();
        return state === 'starting' || state === 'ready' ? undefined : 'process is shutting down';
      },
    },
  };
}

function stoppingOf(actor: ActorRefFrom<ReturnType<typeof machineOf>>): Promise<void> {
  return new Promise((resolve) => {
    actor.subscribe({ complete: resolve });
  });
}
