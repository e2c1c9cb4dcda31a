/**
 * `everwatch replay`: plays a log as it happened, to a running server or as a server of its own
 * whose clients see everything come again. Its clock is shown on a terminal as one line that changes,
 * elsewhere as a line now and then; with `--step` it waits for Enter before each record.
 */
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { type Clock, formatTime } from '../../../api/meta/clock.ts';
import { type PlayedPosition, Player, type PlayerParts } from '../../../streams/replay/player.ts';
import { StatusLine } from '../tool/status-line.ts';
import { isTrace, traceToDataDir } from '../simkube/simkube.ts';
import { looksLikeArchive } from '../../../streams/archive/archive-reader.ts';
import type { LogSource } from '../../../projections/past/log-source.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { openSource, type SourceParts } from '../log-source/open-source.ts';
import { ArchiveLogSource } from '../../../projections/past/archive-log-source.ts';
import { checkedArchive } from '../import/import.ts';
import type { ImportProgress } from '../import/import-log.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { shownResource } from '../tool/resource-kinds.ts';
import { printable } from '../tool/tool-output.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { systemClock } from '../../process/system-clock.ts';
import { momentReader } from '../tool/moment.ts';
import { interruption } from '../tool/interruption.ts';

const LINE_EVERY_MS = 5_000;

export class ReplayClock {
  readonly #line: StatusLine;
  readonly #clock: Clock;
  readonly #speed: number;
  #saidAt = Number.NEGATIVE_INFINITY;
  #said = '';

  constructor(line: StatusLine, clock: Clock, speed: number) {
    this.#line = line;
    this.#clock = clock;
    this.#speed = speed;
  }

  show(position: PlayedPosition): void {
    if (this.#line.isSeen) {
      this.#line.show(() => this.text(position));
      return;
    }
    const now = this.#clock.now();
    if (now - this.#saidAt < LINE_EVERY_MS) return;
    this.#saidAt = now;
    this.#say(position);
  }

  /** Where it ended, unless that was said already. */
  last(position: PlayedPosition): void {
    if (this.text(position) !== this.#said) this.#say(position);
  }

  #say(position: PlayedPosition): void {
    this.#said = this.text(position);
    this.#line.say(this.#said);
  }

  text({ time, version, count }: PlayedPosition): string {
    const shown = Number.isFinite(time) ? formatTime(time) : 'nothing played yet';
    const speed = this.#speed === Infinity ? 'max' : `x${String(this.#speed)}`;
    return `${shown}   version ${String(version)}   ${String(count)} ${count === 1 ? 'record' : 'records'}   ${speed}`;
  }
}

export interface ReplayedLog {
  /** A data directory, an archive, a trace of SimKube, a kubeconfig or a kafka:// URL. */
  readonly log: string;
  /** With a topic: the configuration file of a server, which says how its brokers are reached. */
  readonly config: string | undefined;
}

/** @throws StartupError it is none of these, or cannot be had. */
export async function openReplaySource(
  { log, config }: ReplayedLog,
  parts: SourceParts,
  progress: ImportProgress,
): Promise<LogSource> {
  if (log.startsWith('kafka://')) {
    return (await openSource({ kind: 'kafka', url: log, config }, parts)).source;
  }
  if (isDirectory(log)) return (await openSource({ kind: 'directory', path: log }, parts)).source;
  if (await looksLikeArchive(log)) {
    return new ArchiveLogSource(log, await checkedArchive(log, progress));
  }
  if (await isTrace(log)) return openTrace(log, parts);
  const server = { kind: 'server', kubeconfig: log, context: undefined, fork: '' } as const;
  return (await openSource(server, parts)).source;
}

/** As a log in a temporary directory, which goes with the source. */
async function openTrace(path: string, parts: SourceParts): Promise<LogSource> {
  const folder = await mkdtemp(join(tmpdir(), 'everwatch-trace-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await traceToDataDir(path, folder, parts.notice);
    const { source } = await openSource({ kind: 'directory', path: folder }, parts);
    const close = source.close.bind(source);
    return Object.assign(source, {
      close: async () => {
        try {
          await close();
        } finally {
          await remove();
        }
      },
    });
  } catch (error) {
    await remove();
    throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new StartupError(
      `${path}: ${systemProblem(error)}; give a data directory, an archive, a kubeconfig, a ` +
        'kafka:// URL, or the name of a test whose log was kept',
      { cause: error },
    );
  }
}

export interface Steps {
  /** Resolves to true at Enter, and to false when there is no input any more. */
  next(record: LoggedEvent): Promise<boolean>;
  close(): void;
}

export function stepByStep(
  input: NodeJS.ReadableStream,
  say: (text: string) => void,
  signal: AbortSignal,
): Steps {
  const lines = createInterface({ input });
  const iterator = lines[Symbol.asyncIterator]();
  const close = (): void => {
    lines.close();
  };
  signal.addEventListener('abort', close, { once: true });
  return {
    async next(record) {
      say(`${describe(record)}  [Enter]`);
      const { done } = await iterator.next();
      return done !== true;
    },
    close,
  };
}

function describe(record: LoggedEvent): string {
  const { resourceVersion: version, time, type, resource, path, user, verb } = record;
  const when = `${String(version)}  ${formatTime(time)}`;
  if (type === 'marker') return `${when}  nothing`;
  const object = `${shownResource(resource)}/${path.replace(/^\//, '')}`;
  return printable(`${when}  ${type} ${object}  (${verb}${user === '' ? '' : ` by ${user}`})`);
}

export interface ReplayOptions extends ReplayedLog {
  /** Infinity: as fast as it goes. */
  readonly speed: number;
  readonly isStepped: boolean;
  /** Moments; what was there at `from` is there at once. */
  readonly from: string | undefined;
  readonly until: string | undefined;
}

/** Where it is played to. */
export interface Stage {
  /** What is there before anything moves. @param isWhole nothing was before it. */
  begin(state: AsyncIterable<readonly LoggedEvent[]>, isWhole: boolean): Promise<void>;
  /** Everything is in its place: from now on time runs. */
  ready(): Promise<void>;
  /** Records in order, among them markers for what changed nothing. */
  take(records: readonly LoggedEvent[]): Promise<void>;
  /** All is played. @returns the exit code. */
  end(position: PlayedPosition, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** @param stageOf is called with what ends the replay, and where problems are told. */
export async function replay(
  options: ReplayOptions,
  stageOf: (signal: AbortSignal, say: (line: string) => void) => Promise<Stage>,
): Promise<number> {
  const line = new StatusLine(process.stderr, systemClock);
  const stop = interruption();
  const { signal } = stop;
  const say = (text: string): void => {
    line.say(text);
  };
  const show = (what: string, done: number, all: number): void => {
    line.show(() => `${what}: ${((100 * done) / Math.max(all, 1)).toFixed(0)} %`);
  };
  const parts = { environment: process.env, clock: systemClock, signal, notice: say };
  const source = await openReplaySource(options, parts, { signal, show });
  try {
    const range = await rangeOf(source, options);
    const stage = await stageOf(signal, say);
    try {
      return await playOn(stage, { source, range, options, line, signal });
    } finally {
      await stage.close();
    }
  } finally {
    line.clear();
    stop.end();
    await source.close();
  }
}

interface Range {
  /** The state of this version is there at the beginning; 0: nothing is. */
  readonly from: ResourceVersion;
  readonly until: ResourceVersion;
}

interface Play {
  readonly source: LogSource;
  readonly range: Range;
  readonly options: ReplayOptions;
  readonly line: StatusLine;
  readonly signal: AbortSignal;
}

async function rangeOf(source: LogSource, { from, until }: ReplayOptions): Promise<Range> {
  const { oldest, newest } = await source.bounds();
  const moments = momentReader(source, systemClock);
  const first = resourceVersion(oldest - 1);
  const range = {
    from: from === undefined ? first : await moments.versionAt(from, '--from'),
    until: until === undefined ? newest : await moments.versionAt(until, '--until'),
  };
  if (range.from < first) {
    throw new StartupError(
      `--from ${String(range.from)}: the oldest that can be replayed is ${String(first)}`,
    );
  }
  if (range.until < range.from) throw new StartupError('--until lies before the beginning');
  return { from: range.from, until: resourceVersion(Math.min(range.until, newest)) };
}

async function playOn(stage: Stage, play: Play): Promise<number> {
  const { source, range, options, line, signal } = play;
  await stage.begin(stateOf(source, range, signal), range.from === 0);
  await stage.ready();
  const clock = new ReplayClock(line, systemClock, options.speed);
  const steps = options.isStepped
    ? stepByStep(
        process.stdin,
        (text) => {
          line.say(text);
        },
        signal,
      )
    : undefined;
  const parts: PlayerParts = {
    clock: systemClock,
    records: recordsOf(source, range, signal),
    speed: options.speed,
    ...(steps === undefined ? {} : { step: (record: LoggedEvent) => steps.next(record) }),
    deliver: (records) => stage.take(records),
    moved: (position) => {
      clock.show(position);
    },
  };
  try {
    const position = await new Player(parts, signal).play();
    line.clear();
    clock.last(position);
    return await stage.end(position, signal);
  } finally {
    steps?.close();
  }
}

async function* stateOf(
  source: LogSource,
  { from }: Range,
  signal: AbortSignal,
): AsyncGenerator<readonly LoggedEvent[], void> {
  if (from > 0) yield* source.stateAt(from, signal);
}

/** What changed nothing keeps its place, as a marker. */
async function* recordsOf(
  source: LogSource,
  { from, until }: Range,
  signal: AbortSignal,
): AsyncGenerator<readonly LoggedEvent[], void> {
  if (until <= from) return;
  const query = { from: resourceVersion(from + 1), to: until };
  for await (const batch of source.events(query, signal)) {
    yield batch.map(({ event, verdict }) =>
      verdict === 'effective' ? event : { ...event, type: 'marker' as const },
    );
  }
}
