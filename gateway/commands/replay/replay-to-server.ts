/** A replay on a running server: every change is made again through its API. */
import { isChange, type LoggedEvent } from '../../../streams/event.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { clusterAccess, type AccessOptions } from '../../configuration/kubeconfig-access.ts';
import { ClusterUnreachableError } from '../../remote-cluster/cluster-client.ts';
import { ClusterDiscovery } from '../../remote-cluster/cluster-resources.ts';
import { HttpsClusterClient } from '../../remote-cluster/https-cluster-client.ts';
import { ObjectWriter } from '../../remote-cluster/object-writer.ts';
import { INTERRUPTED } from '../tool/interruption.ts';
import type { Stage } from './replay.ts';
import { inWritingOrder, WriteTally } from '../../remote-cluster/write-tally.ts';

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
  const writer = new ObjectWriter(client, new ClusterDiscovery(client, systemClock), {
    signal,
    clock: systemClock,
  });
  const tally = new WriteTally(writer, say);

  const attempt = async (writing: () => Promise<boolean>): Promise<void> => {
    if ((await reached(writing, signal)) || !options.isStrict) return;
    throw new StartupError('ended at the first refusal, as --strict asks for');
  };
  // The first refusal ends a strict replay, so there one is written at a time.
  const write = async (records: readonly LoggedEvent[]): Promise<void> => {
    const changes = records.filter(isChange);
    const groups = options.isStrict ? changes.map((change) => [change]) : [changes];
    for (const group of groups) {
      if (!signal.aborted) await attempt(() => tally.writeState(group));
    }
  };
  const take = async (records: readonly LoggedEvent[]): Promise<void> => {
    for (const group of simultaneous(records)) await write(group);
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
    take,
    async end() {
      if (!signal.aborted) await attempt(() => tally.finish());
      process.stdout.write(tally.text(options.output));
      if (signal.aborted) return INTERRUPTED;
      return tally.errors === 0 ? 0 : 1;
    },
    close: () => client.close(),
  };
}

/** Records in order; those that a recorder found by one list were there at the same time. */
function* simultaneous(records: readonly LoggedEvent[]): Generator<readonly LoggedEvent[]> {
  let listed: LoggedEvent[] = [];
  for (const record of records) {
    const isListed = record.verb === 'list' && record.type === 'added';
    if (isListed) {
      listed.push(record);
      continue;
    }
    if (listed.length > 0) yield listed;
    listed = [];
    yield [record];
  }
  if (listed.length > 0) yield listed;
}

/** What is broken off because the replay was interrupted is no problem. */
async function reached(writing: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  try {
    return await writing();
  } catch (error) {
    if (!(error instanceof ClusterUnreachableError)) throw error;
    if (signal.aborted) return true;
    throw new StartupError(error.message, { cause: error });
  }
}
