/** A replay on a running server: every change is made again through its API. */
import { isChange, type LoggedEvent } from '../../../streams/event.ts';
import { StartupError } from '../startup-error.ts';
import { systemClock } from '../system-clock.ts';
import { clusterAccess, type AccessOptions } from '../tools/kubeconfig-access.ts';
import { ClusterUnreachableError } from './cluster-client.ts';
import { ClusterDiscovery } from './cluster-resources.ts';
import { HttpsClusterClient } from './https-cluster-client.ts';
import { ObjectWriter } from './object-writer.ts';
import { INTERRUPTED } from './interruption.ts';
import type { Stage } from './replay.ts';
import { WriteTally } from './write-tally.ts';
import { inWritingOrder } from './writing-order.ts';

export interface ServerStageOptions extends AccessOptions {
  /** Whether the first refusal ends it. */
  readonly isStrict: boolean;
  readonly output: 'table' | 'json';
}

/** @throws StartupError the kubeconfig is of no use. */
export async function serverStage(
  options: ServerStageOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Stage> {
  const client = new HttpsClusterClient(await clusterAccess(options, process.env));
  const writer = new ObjectWriter(client, new ClusterDiscovery(client, systemClock), signal);
  const tally = new WriteTally(writer, say);

  const write = async (records: readonly LoggedEvent[]): Promise<void> => {
    for (const record of records) {
      if (signal.aborted || !isChange(record)) continue;
      if ((await writeOne(tally, record, signal)) || !options.isStrict) continue;
      throw new StartupError('ended at the first refusal, as --strict asks for');
    }
  };

  return {
    async begin(state) {
      const later: LoggedEvent[] = [];
      for await (const batch of state) {
        await write(inWritingOrder(batch, true));
        later.push(...inWritingOrder(batch, false));
      }
      await write(later);
    },
    ready: () => Promise.resolve(),
    take: write,
    end() {
      process.stdout.write(tally.text(options.output));
      if (signal.aborted) return Promise.resolve(INTERRUPTED);
      return Promise.resolve(tally.errors === 0 ? 0 : 1);
    },
    close: () => client.close(),
  };
}

async function writeOne(
  tally: WriteTally,
  record: LoggedEvent,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await tally.write(record);
  } catch (error) {
    if (!(error instanceof ClusterUnreachableError)) throw error;
    if (signal.aborted) return true;
    throw new StartupError(error.message, { cause: error });
  }
}
