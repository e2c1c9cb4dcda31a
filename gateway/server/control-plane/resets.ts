/** Whether and how a server puts its objects back to what they were. */
import type { WriteContext } from '../../../actors/registry/write-context.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { StorageSettings } from '../../flags/sections/storage-settings.ts';
import { resetRoute } from '../../routes/reset.ts';
import type { Route } from '../../routes/route.ts';
import type { LogEngine } from '../log/log-engine.ts';
import type { OpenViews } from '../views/open-views.ts';

interface Resets {
  /** None where resets are not allowed. */
  readonly routes: readonly Route[];
  /** What there is now is what a reset leads back to by itself. */
  readonly ready: () => void;
}

interface ResetsParts {
  readonly engine: LogEngine;
  readonly opened: OpenViews;
  /** Of the control plane, once there is one. */
  readonly context: () => WriteContext;
}

interface ResetSections {
  readonly features: Pick<FeatureSettings, 'allowReset'>;
  readonly log: Pick<StorageSettings, 'readOnly'>;
}

export function resetsOf(
  { features, log }: ResetSections,
  { engine, opened, context }: ResetsParts,
): Resets {
  const { applied, store } = opened;
  let readyAt = applied.current;
  const route = resetRoute({
    plane: () => ({ ...context(), history: store }),
    dataDirectory: engine.opened.directory.path,
    ...{ applied, ready: () => readyAt },
  });
  return {
    routes: features.allowReset && !log.readOnly ? [route] : [],
    ready: () => {
      readyAt = applied.current;
    },
  };
}
