/** What a server writes of itself once its port is open: what every control plane has, and its controllers. */
import type { ServeOptions } from '../../flags/serve-settings.ts';
import type { ControlPlanes, PlanesParts } from './control-planes.ts';
import { startFlowKeeping } from './flow-keeping.ts';
import { runControllers, type RunningControllers } from './run-controllers.ts';
import { addStartHooks } from './start-hooks.ts';

/**
 * Adds what has to be written to the hooks of the start; nothing where the log is only read.
 *
 * @param authority PEM, of those who sign the server's certificates.
 * @returns ends it.
 */
export function prepareOwnWrites(
  options: Pick<ServeOptions, 'log' | 'features' | 'authorization'>,
  parts: PlanesParts & { readonly planes: ControlPlanes },
  authority: string,
): { stop(): Promise<void> } {
  const { served } = parts.views;
  const { faults, companions, stopping } = parts.log;
  const { main } = parts.planes;
  const { tokens, uses, trust } = parts.guards.guards;
  const { flowControl } = parts.guards.fairness;
  const { readOnly } = options.log;
  const settings = { ...options.features, readOnly };
  let controllers: RunningControllers | undefined;
  const startControllers = (): RunningControllers =>
    (controllers = runControllers(main, { options: settings, served, authority, faults, tokens }));
  const keeper = startFlowKeeping(main, { options: settings, faults, flowControl });
  if (!readOnly) {
    const until = stopping.signal;
    const needs = {
      main,
      options: options.authorization,
      startControllers,
      keeper,
      trust,
      uses,
      faults,
      until,
    };
    addStartHooks(companions.hooks, needs);
  }
  return {
    async stop() {
      await keeper.stop();
      await controllers?.stop();
    },
  };
}
