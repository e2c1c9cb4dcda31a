/** Starts the controllers of a control plane, and ends them before its log is closed. */
import type { TokenIssuer } from '../../../actors/authentication/service-accounts/token-issuer.ts';
import { startCrdControllers } from '../../../actors/controllers/crd-controllers.ts';
import { startEventExpiry } from '../../../actors/controllers/event-expiry.ts';
import type { ServersElsewhere } from '../../../actors/controllers/namespaces/content-elsewhere.ts';
import { startOptionalControllers } from '../../../actors/controllers/optional-controllers.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import { KindSchemas } from '../../../actors/served-resources/kind-schemas.ts';
import { KindsServed } from '../../../actors/served-resources/served-kinds.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
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
  const { world, fallSilent } = worldOf(plane);
  const controllers = startCrdControllers({ ...world, committer, reserved, faults });
  return {
    definitionsRead: controllers.ready,
    stop() {
      fallSilent();
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
  const { world, fallSilent } = worldOf(plane);
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
      fallSilent();
      await Promise.all([definitions.stop(), others.stop(), expiry.stop()]);
    },
  };
}

/** What controllers see of a control plane; it tells them of no more changes once they fall silent. */
function worldOf(plane: ControlPlane) {
  const ends: (() => void)[] = [];
  const world = {
    loopback: plane.loopback,
    listen: (listener: (event: CommittedEvent) => void) => {
      ends.push(plane.listen(listener));
    },
    objects: plane.opened.objects,
    followed: plane.opened.followed,
    clock: plane.context.clock,
  };
  const fallSilent = (): void => {
    for (const end of ends.splice(0)) end();
  };
  return { world, fallSilent };
}
