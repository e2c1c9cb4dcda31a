/**
 * How a custom resource definition that was deleted goes, as a statechart:
 *
 *     announcing ─► deleting ─► waiting ─► releasing ─► gone
 *         │             │          │           │
 *         └─────────────┴──────────┴───────────┴─► failing ─► later
 *
 * Its objects go first. They may have finalizers of their own, so it waits for them; but not for
 * ever at a stretch: after a minute it says that it could not, and begins again later. A
 * change that overtakes it on the way is looked at instead, which ends it as well.
 *
 * In Kubernetes: CRDFinalizer, apiextensions-apiserver/pkg/controller/finalizer.
 */
import { assign, createActor, fromPromise, setup } from 'xstate';
import type { Clock } from '../../../api/meta/clock.ts';
import { xstateClock } from '../../../api/meta/xstate-clock.ts';

/** A step that cannot be done rejects with a {@link FinalizingProblem}. */
export interface FinalizingSteps {
  /** Says that its objects are being deleted. */
  announce(): Promise<void>;
  /** Asks for each of its objects to be deleted. */
  deleteInstances(): Promise<void>;
  /** Settles when none is left; rejects when `signal` is aborted. */
  whenNoneIsLeft(signal: AbortSignal): Promise<void>;
  /** Takes the finalizer away. */
  release(): Promise<void>;
  /** Says what the problem is. Must not reject. */
  tell(problem: FinalizingProblem): Promise<void>;
}

/** Why it has to begin again. */
export class FinalizingProblem extends Error {
  override readonly name = 'FinalizingProblem';
  readonly reason: string;

  /** @param reason of the condition; '' when there is nothing to be said, as when it was overtaken. */
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** `gone`: nothing of this server holds it any more. `later`: to be tried again. */
export type FinalizingEnd = 'gone' | 'later';

const PATIENCE_MS = 60_000;

interface Context {
  readonly problem: unknown;
}

type StepName = 'announce' | 'deleteInstances' | 'whenNoneIsLeft' | 'release';
type State = 'deleting' | 'waiting' | 'releasing' | 'gone';

function machineOf(steps: FinalizingSteps) {
  const perform = (input: StepName, target: State) =>
    ({
      src: 'step',
      input,
      onDone: target,
      onError: { target: 'failing', actions: 'noteProblem' },
    }) as const;
  return setup({
    types: { context: {} as Context }, // How xstate is told of types.
    delays: { patience: PATIENCE_MS },
    actors: {
      step: fromPromise(({ input, signal }: { input: StepName; signal: AbortSignal }) =>
        steps[input](signal),
      ),
      telling: fromPromise(({ input }: { input: unknown }) => told(steps, input)),
    },
    actions: {
      noteProblem: assign(({ event }) => ({ problem: 'error' in event ? event['error'] : event })),
      noteImpatience: assign(() => ({ problem: unconfirmed() })),
    },
  }).createMachine({
    id: 'crd-finalizing',
    initial: 'announcing',
    context: { problem: undefined },
    states: {
      announcing: { invoke: perform('announce', 'deleting') },
      deleting: { invoke: perform('deleteInstances', 'waiting') },
      waiting: {
        invoke: perform('whenNoneIsLeft', 'releasing'),
        after: { patience: { target: 'failing', actions: 'noteImpatience' } },
      },
      releasing: { invoke: perform('release', 'gone') },
      failing: {
        invoke: {
          src: 'telling',
          input: ({ context }: { context: Context }) => context.problem,
          onDone: 'later',
        },
      },
      gone: { type: 'final' },
      later: { type: 'final' },
    },
  });
}

/** What is no problem of the definition is ours, and is thrown to the caller. */
function told(steps: FinalizingSteps, problem: unknown): Promise<void> {
  return problem instanceof FinalizingProblem && problem.reason !== ''
    ? steps.tell(problem)
    : Promise.resolve();
}

function unconfirmed(): FinalizingProblem {
  const message = 'could not confirm zero CustomResources remaining: context deadline exceeded';
  return new FinalizingProblem('InstanceDeletionCheck', message);
}

/** @throws whatever a step rejected with that is no {@link FinalizingProblem} */
export function finalize(steps: FinalizingSteps, clock: Clock): Promise<FinalizingEnd> {
  const actor = createActor(machineOf(steps), { clock: xstateClock(clock) });
  return new Promise((resolve, reject) => {
    actor.subscribe({
      complete: () => {
        const { value, context } = actor.getSnapshot();
        const { problem } = context;
        if (value === 'gone') resolve('gone');
        else if (problem instanceof FinalizingProblem) resolve('later');
        else reject(problem instanceof Error ? problem : new Error(String(problem)));
      },
    });
    actor.start();
  });
}
