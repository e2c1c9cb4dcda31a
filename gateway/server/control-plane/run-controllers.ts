/** Starts the controllers of a control plane, and ends them before its log is closed. */
import type { TokenIssuer } from '../../../actors/authentication/service-accounts/token-issuer.ts';
import { startCrdControllers } from '../../../actors/controllers/definitions/crd-controllers.ts';
import { startEventExpiry } from '../../../actors/controllers/event-expiry.ts';
import type { ServersElsewhere } from '../../../actors/controllers/namespaces/content-elsewhere.ts';
import { startOptionalControllers } from '../../../actors/controllers/optional-controllers.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import { KindSchemas } from '../../../actors/served-resources/kind-schemas.ts';
import { KindsServed } from '../../../actors/served-resources/served-kinds.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { ListenerGroup } from '../../../api/meta/listeners.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import type { ControlPlane } from './control-plane.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { RetentionOptions, StorageSettings } from '../../flags/sections/storage-settings.ts';

export interface RunningControllers {
  /** Resolves when every custom resource definition that was there has been looked at once. */
  readonly definitionsRead: Promise<void>;
  /** Resolves when they write nothing any more. */
  stop(): Promise<void>;
}

/** Those that make custom resources work. When all views are filled. */
export function runDefinitionControllers(
  plane: ControlPlane,
  { served, faults }: Pick<ControllersParts, 'served' | 'faults'>,
): RunningControllers {
  const { committer } = plane.context;
  const reserved = served.storages();
  const listeners = new ListenerGroup();
  const world = worldOf(plane, listeners);
  const controllers = startCrdControllers({ ...world, committer, reserved, faults });
  return {
    definitionsRead: controllers.ready,
    stop() {
      listeners.end();
      return controllers.stop();
    },
  };
}

export interface ControllersParts {
  readonly options: Pick<FeatureSettings, 'controllers'> &
    Pick<StorageSettings, 'readOnly'> &
    Pick<RetentionOptions, 'eventTtlMs'>;
  readonly served: ServedResources;
  /** PEM. */
  readonly authority: string;
  readonly tokens: Pick<TokenIssuer, 'sign'>;
  /** undefined: all is served here. */
  readonly elsewhere?: ServersElsewhere;
  readonly faults: Faults;
}

/** All that the options ask for; none where nothing may be written. When all views are filled. */
export function runControllers(
  plane: ControlPlane,
  { options, served, authority, tokens, elsewhere, faults }: ControllersParts,
): RunningControllers {
  if (options.readOnly) {
    return { definitionsRead: Promise.resolve(), stop: () => Promise.resolve() };
  }
  const definitions = runDefinitionControllers(plane, { served, faults });
  const kinds = { served: new KindsServed(served), schemas: new KindSchemas(served) };
  const listeners = new ListenerGroup();
  const world = worldOf(plane, listeners);
  const parts = { ...world, ...kinds, authority, tokens, elsewhere, faults };
  const others = startOptionalControllers(parts, options.controllers);
  const { committer, random } = plane.context;
  const expiry = startEventExpiry({
    ...{ ...world, committer, random, log: plane.opened.log, ttlMs: options.eventTtlMs },
    failed: (error) => faults.record('removing events that have expired', error),
  });
  return {
    definitionsRead: definitions.definitionsRead,
    async stop() {
      listeners.end();
      await Promise.all([definitions.stop(), others.stop(), expiry.stop()]);
    },
  };
}

/** What controllers see of a control plane. */
function worldOf(plane: ControlPlane, listeners: ListenerGroup) {
  return {
    loopback: plane.loopback,
    listen: listeners.through<CommittedEvent>((listener) => plane.listen(listener)),
    objects: plane.opened.objects,
    followed: plane.opened.followed,
    clock: plane.context.clock,
  };
}
