/**
 * One control plane: everything behind the filters that works on one log. The server has a main one;
 * a fork is another one behind the same filters.
 */
import { type Behavior, type Ref, startActor } from '../../../actors/request/actor.ts';
import type { Authenticator } from '../../../actors/authentication/authenticator.ts';
import type { TokenIssuer } from '../../../actors/authentication/service-accounts/token-issuer.ts';
import type { Authorizer } from '../../../actors/authorization/authorizer.ts';
import type { RuleResolver } from '../../../actors/authorization/rule-resolver.ts';
import { type Aggregation, dispatch } from '../../../actors/pipeline/dispatch.ts';
import { loopbackTo, type Loopback, type SelfWitness } from '../../../actors/loopback/loopback.ts';
import { Registries } from '../../../actors/registry/registry.ts';
import type { WriteContext } from '../../../actors/registry/write-context.ts';
import type { AuthenticatedRequest } from '../../../actors/request/request.ts';
import { logComponent } from '../../../actors/handlers/componentstatuses/log-component.ts';
import type { ForkBases } from '../../../actors/served-resources/fork-bases.ts';
import type { Component } from '../../../api/kinds/core/componentstatuses/component.ts';
import { Listeners } from '../../../api/meta/listeners.ts';
import { virtualHandlers } from '../../../actors/handlers/virtual-handlers.ts';
import type { Verdict } from '../../../projections/fold/arbiter.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import type { Route } from '../../routes/route.ts';
import type { OpenViews } from '../views/open-views.ts';
import { writeContext, type WriteContextParts } from './write-context.ts';

/** As which user a token is, and what a user may do: for reviews, admission and token requests. */
export interface PlaneGuards {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer & RuleResolver;
  readonly tokens: TokenIssuer;
}

export interface ControlPlaneParts extends Omit<WriteContextParts, 'authorizer' | 'loopback'> {
  readonly guards: PlaneGuards;
  /** The other parts of the control plane, as `kubectl get componentstatuses` lists them; the log is behind them. */
  readonly components: readonly Component[];
  /** Paths that are no resources, of a control plane that tells such moments. */
  readonly routeOf: (plane: Pick<WriteContext, 'moment'>) => Route;
  /** Group versions that other servers serve. */
  readonly aggregation: Aggregation;
  /** What clients' requests cross first; undefined: nothing. */
  readonly barrier?: (next: Ref<AuthenticatedRequest>) => Behavior<AuthenticatedRequest>;
  /** Where its forks begin; undefined: it cannot be forked. */
  readonly forks?: ForkBases;
  /** Sees what is asked over the loopback; undefined: it is not seen. */
  readonly witness?: SelfWitness | undefined;
  /** What clients have in front of its paths; undefined: nothing. */
  readonly place?: string;
  /** Told when the log cannot be read any more: nothing that is answered could be trusted. */
  readonly readingFailed: (error: unknown) => void;
}

export interface ControlPlane {
  /** Its log and its views, to be closed at the end. */
  readonly opened: OpenViews;
  /** What its registries read and write with. */
  readonly context: WriteContext;
  /** How many records were folded since the start, by what became of them. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** The way in, for requests that have crossed the filters. */
  readonly dispatch: Ref<AuthenticatedRequest>;
  /** How the server itself speaks to it. */
  readonly loopback: Loopback;
  /**
   * Tells of every change that takes effect from now on, when all views show it.
   *
   * @returns ends it.
   */
  listen(listener: (event: CommittedEvent) => void): () => void;
  /**
   * Tells of the writer of every record that is folded from now on, whatever becomes of it.
   *
   * @returns ends it.
   */
  hear(listener: (writer: string) => void): () => void;
  /** Answers the requests that still wait, writes everything to disk and releases the log. */
  close(): Promise<void>;
}

/**
 * Folds the log up to its end, and gives the way in. What was opened is closed again when that
 * fails.
 */
export async function startControlPlane(
  opened: OpenViews,
  parts: ControlPlaneParts,
): Promise<ControlPlane> {
  const { options, externals, served, readingFailed } = parts;
  const { authorizer } = parts.guards;
  const loopback: Loopback = (asked) => self(asked);
  const context = writeContext(opened, { ...parts, authorizer, loopback });
  const verdicts = { effective: 0, overtaken: 0, duplicate: 0, marker: 0 };
  const listeners = new Listeners<CommittedEvent>();
  const writers = new Listeners<string>();
  opened.projector.listen((event, verdict, committed) => {
    verdicts[verdict] += 1;
    writers.tell(event.writer);
    context.committer.folded(event, verdict, committed);
    if (committed !== undefined) listeners.tell(committed);
  });
  await opened.projector.start(readingFailed);
  const registries = new Registries(context, virtualOnes(opened, parts));
  const lookup = served.lookup.bind(served);
  const dispatching = {
    lookup,
    registryOf: (storage: string) => registries.of(storage),
    route: parts.routeOf(context),
    context,
    isReadOnly: options.log.readOnly,
  };
  const inner = startActor(dispatch({ ...dispatching, aggregation: parts.aggregation }));
  const way = parts.barrier === undefined ? inner : startActor(parts.barrier(inner));
  // What the server asks of itself it answers itself, whichever group versions others serve.
  const ownWay = startActor(dispatch({ ...dispatching, aggregation: undefined }));
  const self = loopbackTo(ownWay, () => externals.clock.now(), parts.witness, parts.place);
  return {
    opened,
    context,
    verdicts,
    dispatch: way,
    loopback,
    listen: (listener) => listeners.add(listener),
    hear: (listener) => writers.add(listener),
    async close() {
      await context.committer.idle();
      await opened.close();
    },
  };
}

/** What is answered and never stored. */
function virtualOnes({ log }: OpenViews, parts: ControlPlaneParts) {
  const { served, guards, forks, components, externals } = parts;
  return virtualHandlers({
    served,
    forks,
    ...guards,
    nodes: externals.nodes,
    rules: guards.authorizer,
    components: [...components, logComponent(log)],
  });
}
