/** Under every view: a slider that moves the whole page, marks where something changed, and now. */
import { computed, signal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { interval } from 'rxjs';
import type { LogLine } from '../../client/browser.ts';
import { shortTimeText, timeText } from '../parts/format.ts';
import { currentMs, moment, shownMs } from '../state/clock.ts';
import { cutAt } from '../state/cut.ts';
import { gathered, livePath, speed, useLive } from '../state/live.ts';
import { go, namespaceShown, pageLocation } from '../state/page-location.ts';
import { user } from '../state/session.ts';
import {
  extent,
  gapsShown,
  isExtentHidden,
  learnExtent,
  learnOldest,
  oldestShown,
} from './extent.ts';
import { marks, revisionShown, stepThroughMarks, type Mark } from './marks.ts';
import { copyAddress, copyCommand } from './commands.ts';
import { backToNow, MARKS_MAX, marksPath, PLAY_SPEEDS, scope, stop, togglePlay } from './moves.ts';

const MINUTE = 60_000;
const SPANS: readonly (readonly [name: string, ms: number])[] = [
  ['All', 0],
  ['7 d', 7 * 24 * 60 * MINUTE],
  ['24 h', 24 * 60 * MINUTE],
  ['1 h', 60 * MINUTE],
  ['10 min', 10 * MINUTE],
];

const span = signal(0);
/** Where the log begins is not told, and no change is known that could be the first. */
const isBeginningUnknown = computed(() => isExtentHidden.value && marks.value.length === 0);
const UNKNOWN_BEGINNING = 'You may not see how far back the log reaches.';
/** Not all of what nothing tells how long it is. */
const spanShown = computed(() =>
  span.value === 0 && isBeginningUnknown.value ? 60 * MINUTE : span.value,
);

export function TimeBar() {
  useMarks();
  useEffect(() => {
    void learnExtent();
    const asking = interval(MINUTE).subscribe(() => void learnOldest());
    return () => {
      asking.unsubscribe();
    };
  }, []);
  useEffect(() => {
    if (cutAt.value !== undefined) void learnOldest();
  }, [cutAt.value]);
  const isPast = pageLocation.value.at !== '';
  const isCopy = extent.value?.origin !== undefined;
  return (
    <footer class="time" aria-label="Time">
      <div class="steps">
        <button type="button" title="The change before  [" onClick={() => stepThroughMarks(-1)}>
          <Icon path="M15 6l-6 6 6 6M6 6v12" label="The change before" />
        </button>
        <button
          type="button"
          title="Let time run, or stop it  p"
          disabled={!isPast}
          onClick={togglePlay}
        >
          {speed.value === 0 ? (
            <Icon path="M8 5l11 7-11 7z" label="Let time run" />
          ) : (
            <Icon path="M8 5v14M16 5v14" label="Stop time" />
          )}
        </button>
        <button
          type="button"
          title="The change after  ]"
          disabled={!isPast}
          onClick={() => stepThroughMarks(1)}
        >
          <Icon path="M9 6l6 6-6 6M18 6v12" label="The change after" />
        </button>
      </div>
      <Slider />
      <div class="moment">
        <b role="status">{isPast ? momentText() : isCopy ? 'The end' : 'Now'}</b>
        <span class="dim">
          {isPast
            ? `version ${moment.value?.revision || '…'}`
            : isCopy
              ? 'as far as it reaches'
              : 'live'}
        </span>
      </div>
      <div class="more">
        {speed.value > 0 && <Speeds />}
        <Whose />
        <select
          aria-label="How far back the slider reaches"
          value={String(spanShown.value)}
          onChange={(event) => (span.value = Number(event.currentTarget.value))}
        >
          {SPANS.filter(([, ms]) => ms > 0 || !isBeginningUnknown.value).map(([name, ms]) => (
            <option key={name} value={String(ms)}>
              {name}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => void copyAddress()} title="Copy the address of this">
          Copy link
        </button>
        <button type="button" onClick={() => void copyCommand()} title="Copy the kubectl command">
          Copy kubectl
        </button>
        <button type="button" class="primary" disabled={!isPast} onClick={backToNow} title="n">
          Now
        </button>
      </div>
    </footer>
  );
}

function momentText(): string {
  return Number.isNaN(shownMs.value) ? 'No time is known' : timeText(shownMs.value);
}

const USERS_MAX = 30;
function changesText(count: number): string {
  return count === 0 ? '' : `${String(count)} change${count === 1 ? '' : 's'}`;
}

/** Users whose changes were seen on the slider, so that one can be chosen. */
const users = signal<readonly string[]>([]);

/** Which changes are marked, and lead from one to the next by `[` and `]`. */
function Whose() {
  const namespace = namespaceShown.value;
  if (extent.value === undefined) return null;
  const names = new Set([user.value ?? '', ...users.value]);
  const known = [...(namespace === '' ? [] : [`namespace ${namespace}`])];
  const all = [...known, ...[...names].filter((one) => one !== '').map((one) => `user ${one}`)];
  const value = scope.value;
  return (
    <select
      id="marks"
      aria-label="Whose changes are marked"
      aria-keyshortcuts="m"
      value={value}
      onChange={(event) => (scope.value = event.currentTarget.value)}
    >
      <option value="">Changes of this</option>
      {(all.includes(value) || value === '' ? all : [value, ...all]).map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}

function Speeds() {
  return (
    <select
      aria-label="How fast time runs"
      value={String(speed.value)}
      onChange={(event) => (speed.value = Number(event.currentTarget.value))}
    >
      {PLAY_SPEEDS.map((one) => (
        <option key={one} value={String(one)}>
          {String(one)}×
        </option>
      ))}
    </select>
  );
}

function Icon({ path, label }: { readonly path: string; readonly label: string }) {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" role="img" aria-label={label}>
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

/** The changes come line by line; they are taken over some times a second. */
function useMarks(): void {
  const asked = marksPath();
  const path = asked === undefined ? '' : livePath(asked);
  const { value } = useLive(
    `${path} ${revisionShown.value}`,
    path === '' ? undefined : (live) => live.lines$(path).pipe(gathered(MARKS_MAX)),
  );
  useEffect(() => {
    // The path says that these are lines of the log.
    const lines = (value.value ?? []).map((line) => markOf(line as typeof line & LogLine));
    const all = lines.filter(({ revision }) => revision >= oldestShown.value);
    marks.value = all.sort((a, b) => a.revision - b.revision);
    const seen = new Set([...all.map((mark) => mark.user), ...users.peek()]);
    users.value = [...seen].slice(0, USERS_MAX);
  }, [value.value, oldestShown.value]);
}

function markOf(line: LogLine): Mark {
  const { resourceVersion, time, user: by, verb, resource, namespace, name } = line;
  const object = namespace === '' ? name : `${namespace}/${name}`;
  return {
    revision: resourceVersion,
    timeMs: Date.parse(time),
    user: by,
    text: `${by} ${verb} ${resource.replace(/^core\//, '')} ${object}`,
  };
}

const STEPS = 1_000;
/** How often now moves while nothing else does. */
const NARROWEST_MS = 10_000;

function Slider() {
  const dragged = useSignal<number | undefined>(undefined);
  const end = useSignal(currentMs());
  const isPast = pageLocation.value.at !== '';
  // The end of the slider is now, and stands still while the past is looked at.
  useEffect(() => {
    end.value = currentMs();
  }, [isPast, marks.value, shownMs.value > end.value]);
  const range = useComputed(() => {
    const known = extent.value?.oldestTime ?? marks.value[0]?.timeMs;
    const first = known ?? end.value - (spanShown.value || 60 * MINUTE);
    const from = spanShown.value === 0 ? first : Math.max(first, end.value - spanShown.value);
    return { from: Math.min(from, end.value - NARROWEST_MS), to: end.value };
  });
  const { from, to } = range.value;
  const position = (ms: number): number =>
    Number.isNaN(ms) ? 0 : Math.round(((ms - from) / (to - from)) * STEPS);
  const shown = dragged.value ?? (isPast ? position(shownMs.value) : STEPS);
  function move(
    event: { readonly currentTarget: HTMLInputElement },
    how: 'hold' | 'replace',
  ): void {
    const step = Number(event.currentTarget.value);
    dragged.value = how === 'hold' ? step : undefined;
    if (speed.value > 0) stop();
    const ms = from + ((to - from) * step) / STEPS;
    go({ at: step >= STEPS ? '' : new Date(ms).toISOString() }, how);
  }
  const text = isPast ? momentText() : 'now';
  return (
    <div class="slider">
      <Strip from={from} to={to} />
      <input
        id="time"
        type="range"
        min={0}
        max={STEPS}
        step={1}
        value={Math.min(STEPS, Math.max(0, shown))}
        aria-label="The moment that is shown"
        aria-valuetext={text}
        aria-describedby={isBeginningUnknown.value ? 'reach' : undefined}
        onInput={(event) => move(event, 'hold')}
        onChange={(event) => move(event, 'replace')}
      />
      <div class="ends dim" aria-hidden="true">
        <span>{shortTimeText(from, to)}</span>
        <span id="reach">
          {isBeginningUnknown.value
            ? UNKNOWN_BEGINNING
            : changesText(marks.value.filter(({ timeMs }) => timeMs >= from).length)}
        </span>
        <span>{shortTimeText(to, to)}</span>
      </div>
    </div>
  );
}

const BINS = 160;

/** How much changed when: a bar for each hundred and sixtieth of the time that the slider reaches. */
function Strip({ from, to }: { readonly from: number; readonly to: number }) {
  const counts = new Map<number, number>();
  for (const { timeMs } of marks.value) {
    const bin = Math.floor(((timeMs - from) / (to - from)) * BINS);
    if (bin >= 0 && bin <= BINS) counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${String(BINS)} 16`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {[...counts].map(([bin, count]) => {
        const height = Math.min(16, 4 + 4 * Math.log2(count));
        return (
          <rect key={bin} x={Math.min(bin, BINS - 1)} y={16 - height} width="0.7" height={height} />
        );
      })}
      {gapsShown.value.map(({ time }) => (
        <rect
          key={time}
          class="gap"
          x={((Date.parse(time) - from) / (to - from)) * BINS}
          width="1"
          height="16"
        />
      ))}
    </svg>
  );
}
