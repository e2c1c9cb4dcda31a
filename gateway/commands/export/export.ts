/**
 * `everwatch export`: a log, a part of it or a moment as a file; a moment also as YAML for
 * `kubectl apply`, in which objects that others need come first.
 */
import type { LogSource } from '../../../projections/past/log-source.ts';
import { type LoggedEvent, namespaceOf } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';
import { InterruptedError } from '../tool/interruption.ts';
import { isMadeByCluster, plainObject } from '../../remote-cluster/plain-object.ts';
import { inWritingOrder } from '../../remote-cluster/write-tally.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import { archiveBytes, type ArchiveContents } from '../../../streams/archive/archive-writer.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import type { Tool } from '../tool/run-tool.ts';
import {
  archiveOfLog,
  archiveOfMoment,
  type ArchiveRequest,
  type LogRange,
  rangeIn,
} from './export-archive.ts';
import { POD_RESOURCES } from '../simkube/trace-recorder.ts';
import { auditLinesOf } from './audit-export.ts';
import { sizeText, StatusLine } from '../tool/status-line.ts';
import { writeWhole } from '../tool/whole-file.ts';

export interface YamlRequest {
  readonly source: LogSource;
  readonly moment: ResourceVersion;
  readonly signal: AbortSignal;
  readonly chooses: (event: LoggedEvent) => boolean;
  /** Told how many objects were written. */
  readonly progress: (objects: number) => void;
}

/** Looks through the moment twice, so that no more than a part of it is in memory. */
export async function* yamlOf(request: YamlRequest): AsyncGenerator<Buffer, void> {
  const { source, moment, signal, chooses, progress } = request;
  let objects = 0;
  for (const isFirst of [true, false]) {
    for await (const batch of source.stateAt(moment, signal)) {
      if (signal.aborted) throw new InterruptedError();
      const wanted = inWritingOrder(batch, isFirst).filter(
        (one) => chooses(one) && !isMadeByCluster(one),
      );
      if (wanted.length === 0) continue;
      const texts = wanted.map(({ json }) => `---\n${formatYaml(plainObject(json))}`);
      yield Buffer.from(texts.join(''));
      objects += wanted.length;
      progress(objects);
    }
  }
  if (signal.aborted) throw new InterruptedError();
}

/** `audit`: the writes of a range as events of audit.k8s.io/v1; `simkube`: a range as a trace of SimKube. */
export type ExportFormat = 'archive' | 'yaml' | 'audit' | 'simkube';

export interface ExportOptions {
  /** `-` for the standard output. */
  readonly file: string;
  readonly format: ExportFormat;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly at: string | undefined;
  /** None: all. */
  readonly kinds: readonly string[];
  readonly namespace: string | undefined;
}

type Chooses = (event: LoggedEvent) => boolean;

/** @throws StartupError the options do not go together, or the file cannot be written. */
export async function exportLog(tool: Tool, options: ExportOptions): Promise<number> {
  checkOptions(options);
  const line = new StatusLine(process.stderr, systemClock);
  const pieces = await piecesOf(tool, options, line);
  try {
    if (options.file === '-') {
      for await (const piece of pieces) await written(piece);
      return 0;
    }
    const size = await writeWhole(options.file, pieces, systemRandom);
    line.clear();
    tool.notice(`${options.file}: ${sizeText(size)}`);
    return 0;
  } finally {
    line.clear();
  }
}

function checkOptions({ format, from, to, at, kinds, namespace }: ExportOptions): void {
  const isRange = from !== undefined || to !== undefined;
  if (isRange && at !== undefined) {
    throw new StartupError('--at is one moment, and --from and --to are a range: give one of them');
  }
  if ((format === 'audit' || format === 'simkube') && at !== undefined) {
    throw new StartupError(`--${format} is of a range: give --from and --to, or nothing for all`);
  }
  if (format === 'yaml' && isRange) {
    throw new StartupError('YAML shows one moment: give --at, or nothing for now');
  }
  const chooses = kinds.length > 0 || namespace !== undefined;
  if (chooses && format === 'archive' && at === undefined) {
    throw new StartupError('kinds and -n choose objects of one moment: give --at, as in --at now');
  }
}

async function piecesOf(
  tool: Tool,
  options: ExportOptions,
  line: StatusLine,
): Promise<AsyncIterable<Uint8Array>> {
  const { source, signal, moments, clock } = tool;
  const chooses = await chooser(tool, options);
  if (options.format === 'yaml') {
    const moment = await moments.versionAt(options.at ?? 'now', '--at');
    const progress = (objects: number): void => {
      line.show(() => `${String(objects)} objects`);
    };
    return yamlOf({ source, moment, signal, chooses, progress });
  }
  const progress = (done: number, all: number): void => {
    line.show(() => `${String(done)} of ${String(all)} versions`);
  };
  if (options.format === 'audit') {
    const range = await rangeIn(source, await rangeOf(moments, options));
    return auditLinesOf({ source, ...range, signal, chooses, progress });
  }
  if (options.format === 'simkube') {
    const { traceOf } = await import('../simkube/simkube.ts');
    const range = await rangeIn(source, await rangeOf(moments, options));
    return traceOf({ source, ...range, signal, chooses: withPods(chooses, options), progress });
  }
  const request = { source, created: formatTime(clock.now()), signal, progress };
  return archiveBytes(await contentsOf(request, tool, { ...options, chooses }));
}

async function contentsOf(
  request: ArchiveRequest,
  { moments, source }: Tool,
  { from, to, at, chooses }: ExportOptions & { readonly chooses: Chooses },
): Promise<ArchiveContents> {
  if (at !== undefined) {
    const moment = await moments.versionAt(at, '--at');
    const { newest } = await source.bounds();
    if (moment <= newest) return archiveOfMoment(request, moment, chooses);
    throw new StartupError(`--at: there is no version ${at} yet, the newest is ${String(newest)}`);
  }
  return archiveOfLog(request, await rangeOf(moments, { from, to }));
}

async function rangeOf(
  moments: Tool['moments'],
  { from, to }: Pick<ExportOptions, 'from' | 'to'>,
): Promise<LogRange> {
  return {
    from: from === undefined ? undefined : await moments.firstFrom(from, '--from'),
    to: to === undefined ? undefined : await moments.versionAt(to, '--to'),
  };
}

/** Without kinds a trace is of those that have pods. */
function withPods(chooses: Chooses, { kinds, namespace }: ExportOptions): Chooses | undefined {
  if (kinds.length > 0) return chooses;
  if (namespace === undefined) return undefined;
  return (event) => POD_RESOURCES.has(event.resource) && chooses(event);
}

async function chooser(
  { kinds: known }: Tool,
  { kinds, namespace }: ExportOptions,
): Promise<Chooses> {
  const resources = new Set<string>();
  for (const kind of kinds) resources.add((await known.resolve(kind)).storage);
  return ({ resource, path }) =>
    (kinds.length === 0 || resources.has(resource)) &&
    (namespace === undefined || namespaceOf(path) === namespace);
}

/** Waits while its reader is behind. */
function written(piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
