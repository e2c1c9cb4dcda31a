/** What a server writes so that fairness has objects to go by. */
import { ensureFlowDefaults } from '../../../actors/controllers/flow-control/flow-defaults.ts';
import {
  startFlowSchemaStatus,
  type FlowSchemaStatus,
} from '../../../actors/controllers/flow-control/flow-schema-status.ts';
import type { FlowControl } from '../../../actors/flow-control/flow-control.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { StorageSettings } from '../../flags/sections/storage-settings.ts';
import type { ControlPlane } from './control-plane.ts';

const ENSURE_EVERY_MS = 60_000;

/** What keeps the objects right that fairness goes by. */
export interface FlowKeeping {
  /** From now on seats are shared out anew from time to time. */
  startSharing(): void;
  /** Makes the default objects, and puts them right from then on; flow schemas say whether they hang loose. */
  ensureDefaults(): Promise<void>;
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

export interface FlowKeepingParts {
  readonly options: Pick<StorageSettings, 'readOnly'>;
  readonly faults: Faults;
  readonly flowControl: FlowControl | undefined;
}

/** Where nothing may be written, seats are shared out anew at once; else as a hook says. */
export function startFlowKeeping(
  main: ControlPlane,
  { options, faults, flowControl }: FlowKeepingParts,
): FlowKeeping {
  const { objects } = main.opened;
  const { loopback } = main;
  const { clock } = main.context;
  let status: FlowSchemaStatus | undefined;
  let cancel = (): void => undefined;
  let ensuring = Promise.resolve();
  async function ensureDefaults(): Promise<void> {
    await ensureFlowDefaults({ loopback, objects });
    cancel = clock.after(ENSURE_EVERY_MS, () => {
      ensuring = ensureDefaults().catch((error: unknown) => {
        faults.record('making flow schemas and priority levels', error);
      });
    });
  }
  if (options.readOnly) flowControl?.start();
  return {
    startSharing() {
      flowControl?.start();
    },
    async ensureDefaults() {
      await ensureDefaults();
      if (flowControl === undefined) return;
      const listen = main.listen.bind(main);
      const parts = { loopback, objects, listen, clock, faults };
      status = await startFlowSchemaStatus(parts);
    },
    async stop() {
      flowControl?.stop();
      cancel();
      await ensuring;
      cancel();
      await status?.stop();
    },
  };
}
