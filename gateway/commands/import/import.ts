/**
 * `everwatch import`: an archive becomes a data directory, a topic, or objects of a running server.
 * All of it is read and checked before anything is changed.
 */
import {
  checkArchive,
  openArchive,
  type CheckedArchive,
} from '../../../streams/archive/archive-reader.ts';
import { DamagedArchiveError } from '../../../streams/archive/archive-format.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { isTrace, traceToDataDir } from '../simkube/simkube.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { clusterAccess } from '../../configuration/kubeconfig-access.ts';
import { ClusterUnreachableError } from '../../remote-cluster/cluster-client.ts';
import { ClusterDiscovery } from '../../remote-cluster/cluster-resources.ts';
import { HttpsClusterClient } from '../../remote-cluster/https-cluster-client.ts';
import { importToDataDir } from './import-data-dir.ts';
import type { ImportProgress } from './import-log.ts';
import { INTERRUPTED, InterruptedError, interruption } from '../tool/interruption.ts';
import { ObjectWriter } from '../../remote-cluster/object-writer.ts';
import { StatusLine } from '../tool/status-line.ts';
import { inWritingOrder, WriteTally } from '../../remote-cluster/write-tally.ts';

export interface ImportOptions {
  readonly archive: string;
  readonly dataDir: string | undefined;
  readonly log: string | undefined;
  /** With a topic: the configuration file of a server, which says how its brokers are reached. */
  readonly config: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly output: 'table' | 'json';
}

/** Fills an empty topic. */
export type FillTopic = (
  archive: { readonly path: string; readonly checked: CheckedArchive },
  topic: { readonly url: string; readonly config: string | undefined },
  progress: ImportProgress,
) => Promise<void>;

/** @returns the exit code. @throws StartupError */
export async function importArchive(options: ImportOptions, fillTopic: FillTopic): Promise<number> {
  const targets = [options.dataDir, options.log, options.kubeconfig];
  if (targets.filter((one) => one !== undefined).length !== 1) {
    throw new StartupError('say where to: one of --data-dir DIR, --log URL and --kubeconfig FILE');
  }
  const line = new StatusLine(process.stderr, systemClock);
  const stop = interruption();
  const progress: ImportProgress = {
    signal: stop.signal,
    show: (what, done, all) => {
      line.show(() => `${what}: ${((100 * done) / Math.max(all, 1)).toFixed(0)} %`);
    },
  };
  try {
    if (await isTrace(options.archive)) return await importTrace(options, line);
    const checked = await checkedArchive(options.archive, progress);
    return await imported(options, { checked, progress, line, fillTopic });
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    line.say(`everwatch: ${error.message}`);
    return INTERRUPTED;
  } finally {
    stop.end();
    line.clear();
  }
}

/** @throws StartupError the trace is damaged, or the target is none for it. */
async function importTrace(
  { archive, dataDir, output }: ImportOptions,
  line: StatusLine,
): Promise<number> {
  if (dataDir === undefined) {
    throw new StartupError('a trace becomes a data directory: give --data-dir, or use replay --to');
  }
  const records = await traceToDataDir(archive, dataDir, (sentence) => {
    line.say(sentence);
  });
  const summary = { to: dataDir, state: 0, records, newest: records };
  const text = `imported ${String(records)} records, up to version ${String(records)}`;
  process.stdout.write(`${output === 'json' ? JSON.stringify(summary) : text}\n`);
  return 0;
}

interface Importing {
  readonly checked: CheckedArchive;
  readonly progress: ImportProgress;
  readonly line: StatusLine;
  readonly fillTopic: FillTopic;
}

async function imported(
  options: ImportOptions,
  { checked, progress, line, fillTopic }: Importing,
): Promise<number> {
  const { archive: path, dataDir, log, config, output } = options;
  if (options.kubeconfig !== undefined) return toServer(options, { checked, progress, line });
  if (dataDir !== undefined) await importToDataDir(path, checked, { dataDir, progress });
  else await fillTopic({ path, checked }, { url: log ?? '', config }, progress);
  line.clear();
  const { header, state, records } = checked;
  const summary = { to: dataDir ?? log ?? '', state, records, newest: header.to };
  const text =
    `imported ${String(records)} records` +
    (state === 0 ? '' : ` and the state of ${String(state)} objects before them`) +
    `, up to version ${String(header.to)}`;
  process.stdout.write(`${output === 'json' ? JSON.stringify(summary) : text}\n`);
  return 0;
}

/** @throws StartupError it is damaged, or not there. */
export async function checkedArchive(
  path: string,
  { signal, show }: ImportProgress,
): Promise<CheckedArchive> {
  try {
    return await checkArchive(path, (done, all) => {
      if (signal.aborted) throw new InterruptedError();
      show('checking', done, all);
    });
  } catch (error) {
    if (error instanceof DamagedArchiveError) {
      throw new StartupError(`${path}: ${error.message}`, { cause: error });
    }
    if (error instanceof InterruptedError) throw error;
    throw new StartupError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error });
  }
}

/** The objects of a moment, namespaces and definitions first. */
async function toServer(
  { archive: path, kubeconfig, context, output }: ImportOptions,
  { checked, progress, line }: Omit<Importing, 'fillTopic'>,
): Promise<number> {
  if (checked.header.kind !== 'moment') {
    throw new StartupError(
      'a running server takes the objects of one moment: export with --at, or use replay --to',
    );
  }
  const client = new HttpsClusterClient(
    await clusterAccess({ file: kubeconfig, context }, process.env),
  );
  const { signal } = progress;
  const writer = new ObjectWriter(client, new ClusterDiscovery(client, systemClock), {
    signal,
    clock: systemClock,
  });
  const tally = new WriteTally(writer, (problem) => {
    line.say(problem);
  });
  try {
    for await (const event of objectsOf(path)) {
      if (signal.aborted) break;
      await tally.write(event);
      progress.show('applying', tally.count, checked.state);
    }
    if (!signal.aborted) await tally.finish();
  } catch (error) {
    // Interrupted, a request under way is broken off too.
    const isExpected = error instanceof ClusterUnreachableError;
    if (!isExpected) throw error;
    if (!signal.aborted) throw new StartupError(error.message, { cause: error });
  } finally {
    await client.close();
  }
  line.clear();
  process.stdout.write(tally.text(output));
  if (signal.aborted) return INTERRUPTED;
  return tally.errors === 0 ? 0 : 1;
}

/** In the order in which they can be made: the archive is read twice for it. */
async function* objectsOf(path: string): AsyncGenerator<LoggedEvent, void> {
  for (const isFirst of [true, false]) {
    const archive = await openArchive(path);
    try {
      for await (const { events } of archive.batches()) yield* inWritingOrder(events, isFirst);
    } finally {
      await archive.close();
    }
  }
}
