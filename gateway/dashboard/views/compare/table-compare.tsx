/** What became of the objects of a table between a moment and the one that is shown. */
import { useSignal } from '@preact/signals';
import type { LiveColumn } from '../../../../api/live/live-messages.ts';
import { cellText, countText, timeText } from '../../parts/format.ts';
import { currentMs, shownMs } from '../../state/clock.ts';
import { nameOf } from '../../state/columns.ts';
import { livePath, useLive } from '../../state/live.ts';
import { linkTo, pageLocation, type KindName } from '../../state/page-location.ts';
import { usePrintedColumns, usualColumns } from '../../state/printed-columns.ts';
import { momentIn, rowChanges, type RowChange } from './row-changes.ts';

interface CompareProps {
  readonly of: KindName;
  /** The collection. */
  readonly path: string;
  readonly labelSelector: string;
  /** Chosen columns; the printed ones unless said. */
  readonly columns: readonly LiveColumn[] | undefined;
  /** A version or a time. */
  readonly since: string;
  readonly onSince: (since: string) => void;
}

const ROWS_MAX = 10_000;
const SHOWN_MAX = 1_000;
const IDENTITY: readonly LiveColumn[] = [
  { name: 'everwatch-uid', jsonPath: '.metadata.uid' },
  { name: 'everwatch-version', jsonPath: '.metadata.resourceVersion' },
];

export function TableCompare({ of, path, labelSelector, columns, since, onSince }: CompareProps) {
  const printed = usePrintedColumns(path);
  const usual = usualColumns(printed.columns.value);
  const shown = (columns ?? usual).filter((one) => !['Name', 'Age'].includes(nameOf(one)));
  const isKnown = columns !== undefined || usual.length > 0;
  const options = {
    labelSelector,
    columns: [...shown, ...IDENTITY],
    window: { offset: 0, limit: ROWS_MAX },
    rateMs: 500,
  };
  const key = `${livePath(path)} ${JSON.stringify(options)} ${String(isKnown)}`;
  const before = useLive(
    `${key} since ${since}`,
    isKnown ? (live) => live.rows$(livePath(path), { ...options, at: since }) : undefined,
  );
  const after = useLive(key, isKnown ? (live) => live.rows$(livePath(path), options) : undefined);
  const problem = before.problem.value || after.problem.value || printed.problem.value;
  const [old, young] = [before.value.value, after.value.value];
  const isWhole = old !== undefined && young !== undefined;
  const changes = isWhole ? rowChanges(old.rows, young.rows) : [];
  const isCut = isWhole && Math.max(old.matched, young.matched) > ROWS_MAX;
  return (
    <>
      <Since since={since} onSince={onSince} changes={isWhole ? changes : undefined} />
      {isCut && (
        <p class="banner">{`Only the first ${countText(ROWS_MAX)} objects of either moment are compared.`}</p>
      )}
      <div class="grid" tabIndex={0} role="region" aria-label="What changed">
        {problem !== '' && <p class="problem">{problem}</p>}
        {problem === '' && !isWhole && <p class="waiting">Loading…</p>}
        {isWhole && changes.length === 0 && (
          <p class="nothing">Nothing has changed between these moments.</p>
        )}
        {changes.length > 0 && (
          <Changes of={of} since={since} columns={shown} changes={changes.slice(0, SHOWN_MAX)} />
        )}
        {changes.length > SHOWN_MAX && (
          <p class="nothing">{`And ${countText(changes.length - SHOWN_MAX)} more.`}</p>
        )}
      </div>
    </>
  );
}

interface SinceProps {
  readonly since: string;
  readonly onSince: (since: string) => void;
  readonly changes: readonly RowChange[] | undefined;
}

const AGO = ['10m', '1h', '24h', '7d'];

function Since({ since, onSince, changes }: SinceProps) {
  const problem = useSignal('');
  function take(text: string): void {
    const moment = momentIn(text, currentMs());
    problem.value = moment === undefined ? 'Enter a version, a time, or 10m, 2h, 3d.' : '';
    if (moment !== undefined) onSince(moment);
  }
  const until = pageLocation.value.at === '' ? 'now' : timeText(shownMs.value);
  return (
    <div class="chosen-bar since">
      <label>
        What changed since{' '}
        <input
          id="since"
          placeholder="a version or a time"
          spellcheck={false}
          value={since}
          onChange={(event) => take(event.currentTarget.value)}
        />
      </label>
      {AGO.map((ago) => (
        <button key={ago} type="button" onClick={() => take(ago)}>
          {ago} ago
        </button>
      ))}
      <span role="status">
        {problem.value === '' ? (
          `until ${until}: ${changes === undefined ? '…' : countsOf(changes)}`
        ) : (
          <span class="problem">{problem.value}</span>
        )}
      </span>
      <button type="button" class="plain" onClick={() => onSince('')}>
        Back to the table
      </button>
    </div>
  );
}

function countsOf(changes: readonly RowChange[]): string {
  const kinds = ['added', 'removed', 'changed', 'replaced'] as const;
  const counts = kinds.map((kind) => [kind, changes.filter((one) => one.kind === kind).length]);
  const told = counts.filter(([, count]) => count !== 0);
  return told.length === 0
    ? 'nothing'
    : told.map(([kind, count]) => `${String(count)} ${String(kind)}`).join(', ');
}

interface ChangesProps {
  readonly of: KindName;
  readonly since: string;
  readonly columns: readonly LiveColumn[];
  readonly changes: readonly RowChange[];
}

const SIGNS = { added: '+', removed: '−', changed: '~', replaced: '±' } as const;

function Changes({ of, since, columns, changes }: ChangesProps) {
  const hasNamespaces = changes.some(({ key }) => !key.startsWith('/'));
  return (
    <table class="compared" aria-label="What changed">
      <thead>
        <tr>
          <th scope="col">Change</th>
          {hasNamespaces && <th scope="col">Namespace</th>}
          <th scope="col">Name</th>
          {columns.map((column) => (
            <th scope="col" key={nameOf(column)}>
              {nameOf(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <ChangeRow
            key={change.key}
            of={of}
            since={since}
            count={columns.length}
            hasNamespaces={hasNamespaces}
            change={change}
          />
        ))}
      </tbody>
    </table>
  );
}

interface ChangeProps {
  readonly of: KindName;
  readonly since: string;
  readonly count: number;
  readonly hasNamespaces: boolean;
  readonly change: RowChange;
}

function ChangeRow({ of, since, count, hasNamespaces, change }: ChangeProps) {
  const { key, kind, before, after } = change;
  const [namespace = '', name = ''] = key.split('/', 2);
  const view = { name: 'object', of: { ...of, namespace, name } } as const;
  // What is gone is shown as it was.
  const href =
    kind === 'removed' ? linkTo({ view, at: since }) : linkTo({ view, query: { tab: 'history' } });
  return (
    <tr class={kind}>
      <td>
        <span aria-hidden="true">{SIGNS[kind]} </span>
        {kind}
      </td>
      {hasNamespaces && <td class="dim">{namespace}</td>}
      <td>
        <a href={href}>{name}</a>
      </td>
      {Array.from({ length: count }, (_, at) => (
        <td key={at}>
          <Cells before={textAt(before, at)} after={textAt(after, at)} />
        </td>
      ))}
    </tr>
  );
}

function textAt(cells: RowChange['before'], at: number): string | undefined {
  return cells === undefined ? undefined : cellText(cells[at], '', 0);
}

interface CellsProps {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function Cells({ before, after }: CellsProps) {
  if (before === undefined || after === undefined) return <>{after ?? before}</>;
  if (before === after) return <span class="dim">{after}</span>;
  return (
    <>
      {before !== '' && <del>{before}</del>} {after !== '' && <ins>{after}</ins>}
    </>
  );
}
