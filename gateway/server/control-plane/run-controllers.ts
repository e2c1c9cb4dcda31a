/** Starts the controllers of a control plane, and ends them before its log is closed. */
import type { TokenIssuer } from '../../../actors/authentication/service-accounts/token-issuer.ts';
import { startCrdControllers } from '../../../actors/controllers/crd-controllers.ts';
import { startOptionalControllers } from '../../../actors/controllers/optional-controllers.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import { KindSchemas } from '../../../actors/served-resources/kind-schemas.ts';
import { KindsServed } from '../../../actors/served-resources/served-kinds.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { ControlPlane } from './control-plane.ts';
import type { FeatureSettings } from '../../flags/sections/feature-settings.ts';
import type { StorageSettings } from '../../flags/sections/storage-settings.ts';

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
  const parts = { ...worldOf(plane), committer, reserved, faults };
  const controllers = startCrdControllers(parts);
  return { definitionsRead: controllers.ready, stop: () => controllers.stop() };
}

export interface ControllersParts {
  readonly options: Pick<FeatureSettings, 'controllers'> & Pick<StorageSettings, 'readOnly'>;
  readonly served: ServedResources;
  /** PEM. */
  readonly authority: string;
  readonly tokens: Pick<TokenIssuer, 'sign'>;
  readonly faults: Faults;
}

/** All that the options ask for; none where nothing may be written. When all views are filled. */
export function runControllers(
  plane: ControlPlane,
  { options, served, authority, tokens, faults }: ControllersParts,
): RunningControllers {
  if (options.readOnly) {
    return { definitionsRead: Promise.resolve(), stop: () => Promise.resolve() };
  }
  const definitions = runDefinitionControllers(plane, { served, faults });
  const kinds = { served: new KindsServed(served), schemas: new KindSchemas(served) };
  const parts = { ...worldOf(plane), ...kinds, authority, tokens, faults };
  const others = startOptionalControllers(parts, options.controllers);
  return {
    definitionsRead: definitions.definitionsRead,
    async stop() {
      await Promise.all([definitions.stop(), others.stop()]);
    },
  };
}

function worldOf(plane: ControlPlane) {
  return {
    loopback: plane.loopback,
    listen: plane.listen.bind(plane),
    objects: plane.opened.objects,
    followed: plane.opened.followed,
    clock: plane.context.clock,
  };
}
