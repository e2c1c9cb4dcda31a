/** How much happens: writes and reads in a second, open watches and the lag, drawn over the last minutes. */
import { countText } from '../parts/format.ts';
import { gathered, useLive } from '../state/live.ts';

/** A line of `/everwatch/v1/figures`, as far as it is shown. */
interface FiguresLine {
  /** RFC 3339. */
  readonly time: string;
  readonly requests?: Readonly<Record<string, number>>;
  readonly watches?: number;
  readonly watchLag?: { readonly watches: number };
  readonly lag?: { readonly events: number; readonly ms: number };
}

const EVERY_SECONDS = 2;
const LINES_MAX = 91;
const PATH = `/everwatch/v1/figures?every=${String(EVERY_SECONDS)}`;
const WRITES = ['create', 'update', 'patch', 'apply', 'delete', 'deletecollection'];
const READS = ['get', 'list'];

/** Nothing for users that may not see the log. */
export function Figures() {
  const { value } = useLive(PATH, (live) => live.lines$(PATH).pipe(gathered(LINES_MAX)));
  // The path says which lines these are.
  const lines = (value.value ?? []).map((line) => line as typeof line & FiguresLine);
  const newest = lines.at(-1);
  if (newest?.requests === undefined) return null;
  const writes = ratesOf(lines, WRITES);
  const reads = ratesOf(lines, READS);
  return (
    <dl class="rates">
      <Rate name="Writes a second" rates={writes} />
      <Rate name="Reads a second" rates={reads} />
      <div>
        <dt>Open watches</dt>
        <dd>{countText(newest.watches ?? 0)}</dd>
      </div>
      <div>
        <dt>Watches behind</dt>
        <dd>{countText(newest.watchLag?.watches ?? 0)}</dd>
      </div>
      {newest.lag !== undefined && (
        <div>
          <dt>Events behind the log</dt>
          <dd>
            {countText(newest.lag.events)}
            {newest.lag.ms > 0 && ` (${(newest.lag.ms / 1_000).toFixed(1)} s)`}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** What ended in each second between two lines; the totals count from the start of the server. */
export function ratesOf(lines: readonly FiguresLine[], verbs: readonly string[]): number[] {
  const total = ({ requests = {} }: FiguresLine): number =>
    verbs.reduce((sum, verb) => sum + (requests[verb] ?? 0), 0);
  return lines.slice(1).map((line, at) => {
    const before = lines[at] ?? line;
    const seconds = (Date.parse(line.time) - Date.parse(before.time)) / 1_000;
    // A server that was started anew counts from 0 again.
    return seconds > 0 ? Math.max(0, total(line) - total(before)) / seconds : 0;
  });
}

interface RateProps {
  readonly name: string;
  readonly rates: readonly number[];
}

function Rate({ name, rates }: RateProps) {
  const last = rates.at(-1) ?? 0;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Line rates={rates} />
        {last < 10 ? last.toFixed(1) : countText(Math.round(last))}
      </dd>
    </div>
  );
}

const WIDTH = LINES_MAX - 1;
const HEIGHT = 16;

function Line({ rates }: { readonly rates: readonly number[] }) {
  const most = Math.max(1, ...rates);
  const from = WIDTH - rates.length;
  const points = rates.map(
    (rate, at) => `${String(from + at)},${(HEIGHT - 1 - (rate / most) * (HEIGHT - 2)).toFixed(1)}`,
  );
  return (
    <svg class="line" viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
