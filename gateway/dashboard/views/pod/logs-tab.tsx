/** What the containers of a pod have written, as it comes from the node: followed, searched, and copied. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { bufferTime, filter, from, scan } from 'rxjs';
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { countText } from '../../parts/format.ts';
import { askStream, problemText } from '../../state/http.ts';
import { go, objectPath, pageLocation, type ObjectName } from '../../state/page-location.ts';
import { copyText } from '../../time/commands.ts';
import { ContainerChoice } from './container-choice.tsx';
import { containersOf, defaultContainer } from './containers.ts';
import {
  appended,
  EMPTY_LOG,
  keptLines,
  levelOf,
  linesWith,
  pieces,
  withoutEscapes,
  type LogBlock,
  type LogText,
} from './log-text.ts';

interface LogsProps {
  readonly of: ObjectName;
  readonly pod: Pod;
}

const FIRST_LINES = 2_000;

export function LogsTab({ of, pod }: LogsProps) {
  const { query } = pageLocation.value;
  const container = query['container'] ?? defaultContainer(pod);
  const previous = query['previous'] === 'true';
  const hasTimes = query['timestamps'] === 'true';
  const follows = useSignal(true);
  const wraps = useSignal(true);
  const wanted = useSignal('');
  const again = useSignal(0);
  const search = new URLSearchParams({
    container,
    tailLines: String(FIRST_LINES),
    ...(hasTimes ? { timestamps: 'true' } : {}),
    ...(previous ? { previous: 'true' } : { follow: 'true' }),
  });
  const log = useLog(`${objectPath(of)}/log?${search.toString()}`, again.value);
  const set = (change: Record<string, string>): void => {
    go({ query: { ...pageLocation.value.query, ...change } }, 'replace');
  };
  const before = containersOf(pod).find(({ name }) => name === container)?.previous ?? '';
  return (
    <>
      <div class="tools">
        <ContainerChoice pod={pod} value={container} onChange={(one) => set({ container: one })} />
        <input
          id="row-filter"
          type="search"
          aria-label="Lines with"
          aria-keyshortcuts="/"
          placeholder="Lines with…"
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <Check label="Follow" value={follows.value} onChange={(on) => (follows.value = on)} />
        <Check label="Wrap" value={wraps.value} onChange={(on) => (wraps.value = on)} />
        <Check
          label="Timestamps"
          value={hasTimes}
          onChange={(on) => set({ timestamps: on ? 'true' : '' })}
        />
        {(before !== '' || previous) && (
          <Check
            label="Previous run"
            value={previous}
            onChange={(on) => set({ previous: on ? 'true' : '' })}
          />
        )}
        <button type="button" onClick={() => void copyLog(log.text.value)}>
          Copy
        </button>
      </div>
      <Lines text={log.text} follows={follows} wraps={wraps.value} wanted={wanted.value} />
      <p class="dim log-state" role="status">
        <LogState log={log} wanted={wanted.value} onAgain={() => (again.value += 1)} />
      </p>
    </>
  );
}

interface CheckProps {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

function Check({ label, value, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

interface Log {
  readonly text: Signal<LogText>;
  readonly problem: Signal<string>;
  readonly hasEnded: Signal<boolean>;
}

const GATHER_MS = 80;

/** Reads while it is shown; anew when the path is another one, or when it is asked for once more. */
function useLog(path: string, turn: number): Log {
  const text = useSignal(EMPTY_LOG);
  const problem = useSignal('');
  const hasEnded = useSignal(false);
  useEffect(() => {
    text.value = EMPTY_LOG;
    problem.value = '';
    hasEnded.value = false;
    const ending = new AbortController();
    const reading = from(logPieces(path, ending.signal))
      .pipe(
        bufferTime(GATHER_MS),
        filter((several) => several.length > 0),
        scan((log, several) => appended(log, withoutEscapes(several.join(''))), EMPTY_LOG),
      )
      .subscribe({
        next: (next) => (text.value = next),
        error: (error: unknown) => (problem.value = problemText(error)),
        complete: () => (hasEnded.value = true),
      });
    return () => {
      reading.unsubscribe();
      ending.abort();
    };
  }, [path, turn]);
  return { text, problem, hasEnded };
}

/** Logs are of now and of the cluster: no moment and no fork has any. */
async function* logPieces(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const stream = await askStream(path, { accept: 'text/plain, */*', prefix: '', signal });
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

interface StateProps {
  readonly log: Log;
  readonly wanted: string;
  readonly onAgain: () => void;
}

function LogState({ log: { text, problem, hasEnded }, wanted, onAgain }: StateProps) {
  const kept = keptLines(text.value);
  const { blocks } = text.value;
  const found = useMemo(
    () => blocks.reduce((sum, block) => sum + linesWith(block, wanted).length, 0),
    [blocks, wanted],
  );
  const all = `${countText(kept)} ${kept === 1 ? 'line' : 'lines'}`;
  const count = wanted === '' ? all : `${countText(found)} of ${all}`;
  if (problem.value !== '') {
    return (
      <>
        <span class="problem">{problem.value}</span> <Again onAgain={onAgain} />
      </>
    );
  }
  if (!hasEnded.value) return <>{kept === 0 ? 'Waiting for the first line…' : count}</>;
  return (
    <>
      {count}. The log ends here. <Again onAgain={onAgain} />
    </>
  );
}

function Again({ onAgain }: { readonly onAgain: () => void }) {
  return (
    <button type="button" class="plain" onClick={onAgain}>
      Read it again
    </button>
  );
}

async function copyLog({ blocks, rest }: LogText): Promise<void> {
  const lines = blocks.flatMap((block) => block.lines);
  await copyText([...lines, rest].join('\n'), 'The log is copied.');
}

interface LinesProps {
  readonly text: Signal<LogText>;
  readonly follows: Signal<boolean>;
  readonly wraps: boolean;
  readonly wanted: string;
}

const NEAR_END_PX = 30;

/** The end stays in sight while the log is followed; scrolling up lets go of it, the end takes hold again. */
function Lines({ text, follows, wraps, wanted }: LinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { blocks, rest } = text.value;
  useEffect(() => {
    const element = scroller.current;
    if (follows.value && element !== null) element.scrollTop = element.scrollHeight;
  }, [text.value, wanted, wraps, follows.value]);
  function scrolled({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: LogScroll): void {
    follows.value = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  }
  return (
    <div
      class={`log${wraps ? ' wraps' : ''}`}
      ref={scroller}
      tabIndex={0}
      role="log"
      aria-label="Lines of the log"
      aria-live="off"
      onScroll={scrolled}
    >
      {blocks.map((block) => (
        <Block key={block.from} block={block} wanted={wanted} />
      ))}
      {rest !== '' && wanted === '' && <Line line={rest} wanted="" />}
    </div>
  );
}

interface LogScroll {
  readonly currentTarget: HTMLDivElement;
}

interface BlockProps {
  readonly block: LogBlock;
  readonly wanted: string;
}

/** The same elements as long as the block is the same. */
function Block({ block, wanted }: BlockProps) {
  return useMemo(
    () => (
      <div class="log-block">
        {linesWith(block, wanted).map((at) => (
          <Line key={at} line={block.lines[at] ?? ''} wanted={wanted} />
        ))}
      </div>
    ),
    [block, wanted],
  );
}

function Line({ line, wanted }: { readonly line: string; readonly wanted: string }) {
  return (
    <div class={`log-line ${levelOf(line)}`}>
      {pieces(line, wanted).map(([piece, isFound], at) =>
        isFound ? <mark key={at}>{piece}</mark> : piece,
      )}
      {line === '' && ' '}
    </div>
  );
}
