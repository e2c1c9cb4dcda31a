/**
 * A table of any number of objects, of which the server sends the rows on the screen and then the cells that
 * change. All rows have one height, so where a row stands follows from its number.
 */
import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { BehaviorSubject } from 'rxjs';
import type { LiveColumn, LiveWindow } from '../../../api/live/live-messages.ts';
import type { Row, Rows } from '../../client/browser.ts';
import { shownMs } from '../state/clock.ts';
import { livePath, useLive } from '../state/live.ts';
import { cellText, moodOf } from './format.ts';
import { RowSlots } from './row-slots.ts';

/** What is shown, and how. */
export interface LiveTableProps {
  /** The collection: `/api/v1/pods`. */
  readonly path: string;
  /** As in a GET. */
  readonly labelSelector?: string;
  /** As in a GET. */
  readonly fieldSelector?: string;
  /** Own columns; the printed ones of the kind unless said. */
  readonly columns?: readonly LiveColumn[];
  /** What each row has to have in a cell; '' for all rows. */
  readonly filter: string;
  /** `Age`, `-Age`; '' for the order of namespaces and names. */
  readonly sort: string;
  /** The user clicked on the head of a column. */
  readonly onSort: (sort: string) => void;
  /** Whether a column of namespaces stands in front. */
  readonly hasNamespaces: boolean;
  /** Where a row leads to; its key is `NAMESPACE/NAME`. */
  readonly linkOf: (key: string) => string;
  /** What the table is called for those that do not see it. */
  readonly label: string;
  /** Keys that are chosen; undefined: rows are not chosen. */
  readonly chosen?: ReadonlySet<string>;
  /** The user has chosen others. */
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
  /** Told each time what is there; undefined: nothing is known. */
  readonly onRows?: (rows: Rows | undefined) => void;
}

const ROW_PX = 30;
/** Rows beyond the edges, and the step in which windows move. */
const BEYOND = 20;

export function LiveTable(props: LiveTableProps) {
  const { path, labelSelector = '', fieldSelector = '', columns, filter, sort, onRows } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // It is not read while the table is made, which would be made anew whenever the user scrolls.
  const extent = useSignal({ top: 0, height: 600 });
  const windows = useRef(new BehaviorSubject(windowFor(extent.peek(), filter, sort)));
  useEffect(
    () =>
      effect(() => {
        const wanted = windowFor(extent.value, filter, sort);
        if (JSON.stringify(windows.current.value) !== JSON.stringify(wanted)) {
          windows.current.next(wanted);
        }
      }),
    [filter, sort],
  );
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [filter, sort, path]);
  useEffect(() => watchExtent(scroller.current, (next) => (extent.value = next)), []);
  const key = JSON.stringify([livePath(path), labelSelector, fieldSelector, columns]);
  const { value, problem } = useLive(key, (live) =>
    live.rows$(livePath(path), {
      labelSelector,
      fieldSelector,
      ...(columns === undefined ? {} : { columns }),
      window: windows.current,
      rateMs: RATE_MS,
    }),
  );
  const rows = value.value;
  useEffect(() => {
    onRows?.(rows);
  }, [rows]);
  return (
    <div class="grid" ref={scroller} tabIndex={0} role="region" aria-label={props.label}>
      {problem.value !== '' && <p class="problem">{problem.value}</p>}
      {rows === undefined && problem.value === '' && <p class="waiting">Loading…</p>}
      {rows !== undefined && problem.value === '' && <Table {...props} shown={rows} />}
    </div>
  );
}

const RATE_MS = 250;

function windowFor(
  { top, height }: { readonly top: number; readonly height: number },
  filter: string,
  sort: string,
): LiveWindow {
  const first = Math.max(0, Math.floor(top / ROW_PX / BEYOND) * BEYOND - BEYOND);
  const limit = Math.ceil(height / ROW_PX / BEYOND) * BEYOND + 3 * BEYOND;
  const column = sort.replace(/^-/, '');
  return {
    offset: first,
    limit,
    ...(filter === '' ? {} : { filter: [{ contains: filter }] }),
    ...(column === '' ? {} : { sort: [{ column, descending: sort.startsWith('-') }] }),
  };
}

function watchExtent(
  element: HTMLElement | null,
  tell: (extent: { top: number; height: number }) => void,
): (() => void) | undefined {
  if (element === null) return undefined;
  const measure = (): void => {
    tell({ top: element.scrollTop, height: element.clientHeight });
  };
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  element.addEventListener('scroll', measure, { passive: true });
  measure();
  return () => {
    observer.disconnect();
    element.removeEventListener('scroll', measure);
  };
}

interface TableProps extends LiveTableProps {
  readonly shown: Rows;
}

function Table(props: TableProps) {
  const { shown, hasNamespaces, sort, onSort, label, chosen } = props;
  const widths = useWidths(shown, props.path);
  const slots = useRef(new RowSlots());
  const keys = shown.rows.map(({ key }) => key);
  const slotOf = slots.current.of(keys, focusedSlot());
  const below = Math.max(0, shown.matched - shown.offset - shown.rows.length);
  const count = shown.columns.length + (hasNamespaces ? 1 : 0) + (chosen === undefined ? 0 : 1);
  if (shown.matched === 0) return <p class="nothing">{emptyText(props, shown)}</p>;
  return (
    <table
      aria-label={label}
      aria-rowcount={shown.matched + 1}
      style={{
        minWidth: widthOf(sum(widths.columns) + (hasNamespaces ? widths.namespace : 0), count),
      }}
    >
      <colgroup>
        {chosen !== undefined && <col style={{ width: '34px' }} />}
        {hasNamespaces && <col style={{ width: widthOf(widths.namespace) }} />}
        {shown.columns.map(({ name }, at) => (
          <col key={name} style={{ width: widthOf(widths.columns[at] ?? 0) }} />
        ))}
        <col />
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {chosen !== undefined && (
            <th scope="col">
              <ChooseAll {...props} />
            </th>
          )}
          {hasNamespaces && <Head name="Namespace" column="" sort={sort} onSort={onSort} />}
          {shown.columns.map(({ name }) => (
            <Head key={name} name={name} column={name} sort={sort} onSort={onSort} />
          ))}
          <td />
        </tr>
      </thead>
      <tbody onKeyDown={moveByKey}>
        {shown.offset > 0 && <Gap rows={shown.offset} span={count + 1} />}
        {shown.rows.map((row, at) => (
          <TableRow
            key={slotOf[at]}
            {...props}
            row={row}
            slot={slotOf[at] ?? 0}
            index={shown.offset + at + 2}
          />
        ))}
        {below > 0 && <Gap rows={below} span={count + 1} />}
      </tbody>
    </table>
  );
}

/** Of a long table, the rows that are loaded: those around the screen. */
function ChooseAll({ shown, chosen, onChoose }: TableProps) {
  const keys = shown.rows.map(({ key }) => key);
  const isAll = keys.every((key) => chosen?.has(key) === true);
  const all = new Set([...(chosen ?? []), ...keys]);
  return (
    <input
      type="checkbox"
      aria-label={`Choose the ${String(keys.length)} rows that are loaded`}
      checked={isAll}
      onChange={() => onChoose?.(isAll ? new Set() : all)}
    />
  );
}

function emptyText({ filter, labelSelector = '' }: LiveTableProps, { total }: Rows): string {
  if (total > 0 && filter !== '') return `None of ${String(total)} has “${filter}” in it.`;
  return labelSelector === '' ? 'There is none here.' : 'None has these labels.';
}

/** Room for rows that are not on the screen. */
function Gap({ rows, span }: { readonly rows: number; readonly span: number }) {
  return (
    <tr aria-hidden="true" class="gap">
      <td colSpan={span} style={{ height: `${String(rows * ROW_PX)}px` }} />
    </tr>
  );
}

interface HeadProps {
  readonly name: string;
  /** '' for the order of keys. */
  readonly column: string;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function Head({ name, column, sort, onSort }: HeadProps) {
  const isUp = sort === column;
  const isDown = sort === `-${column}` && column !== '';
  const next = isUp && column !== '' ? `-${column}` : column;
  const direction = isUp ? 'ascending' : isDown ? 'descending' : undefined;
  return (
    <th scope="col" {...(direction === undefined ? {} : { 'aria-sort': direction })}>
      <button type="button" onClick={() => onSort(isDown ? '' : next)}>
        {name}
        <span class="direction" aria-hidden="true">
          {isUp ? '↑' : isDown ? '↓' : ''}
        </span>
      </button>
    </th>
  );
}

interface RowProps extends TableProps {
  readonly row: Row;
  /** Of the element; see RowSlots. */
  readonly slot: number;
  /** From 1 on, the head being the first. */
  readonly index: number;
}

/** Of the row in which the focus is: it must not come to be on another object by itself. */
function focusedSlot(): number | undefined {
  const slot = document.activeElement?.closest('tr')?.dataset['slot'];
  return slot === undefined ? undefined : Number(slot);
}

function TableRow(props: RowProps) {
  const { row, shown, hasNamespaces, linkOf, chosen, onChoose, slot, index } = props;
  const [namespace = '', name = ''] = row.key.split('/', 2);
  const nameAt = shown.columns.findIndex((column) => column.name === 'Name');
  const linkAt = Math.max(0, nameAt);
  const isChosen = chosen?.has(row.key) === true;
  return (
    <tr aria-rowindex={index} data-slot={slot} class={isChosen ? 'chosen' : ''}>
      {chosen !== undefined && (
        <td>
          <input
            type="checkbox"
            aria-label={`Choose ${name}`}
            checked={isChosen}
            onChange={() => onChoose?.(toggled(chosen, row.key))}
          />
        </td>
      )}
      {hasNamespaces && <td class="dim">{namespace}</td>}
      {shown.columns.map((column, at) => {
        const text = cellText(row.cells[at], column.type, shownMs.value);
        const isLink = at === linkAt;
        return (
          <td key={column.name} title={text}>
            {isLink ? (
              <a href={linkOf(row.key)}>{text === '' ? name : text}</a>
            ) : (
              moody(column.name, text)
            )}
          </td>
        );
      })}
      <td />
    </tr>
  );
}

const STATES = /^(?:status|phase|state|available|ready|type|condition|established|conditions?)$/i;

function moody(column: string, text: string) {
  const mood = STATES.test(column) ? moodOf(text) : 'plain';
  if (mood === 'plain') return text;
  return (
    <>
      <span class={`dot ${mood}`} aria-hidden="true" /> {text}
    </>
  );
}

function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Arrow keys go from link to link; beyond the window, the table scrolls. */
function moveByKey(event: KeyboardEvent): void {
  const down = event.key === 'ArrowDown' || event.key === 'j';
  if (!down && event.key !== 'ArrowUp' && event.key !== 'k') return;
  const row = (event.target as Element).closest('tr');
  const next = down ? row?.nextElementSibling : row?.previousElementSibling;
  event.preventDefault();
  event.stopPropagation();
  next?.querySelector<HTMLElement>('a')?.focus();
}

const WIDTH = { least: 6, most: 46, padding: 24 } as const;

/** Most letters are narrower than the digit that `ch` is measured by; a dot needs room too. */
function widthOf(characters: number, columns = 1): string {
  return `calc(${String(characters)} * 0.94ch + ${String(WIDTH.padding * columns)}px)`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** In characters; columns grow with what was seen in them, and do not shrink while one scrolls. */
function useWidths({ columns, rows }: Rows, path: string) {
  const of = useRef({ key: '', columns: [] as number[], namespace: 12 });
  const key = JSON.stringify([path, columns.map(({ name }) => name)]);
  if (of.current.key !== key) {
    of.current = { key, columns: columns.map(({ name }) => name.length + 3), namespace: 12 };
  }
  const known = of.current;
  for (const row of rows) {
    known.namespace = Math.max(known.namespace, row.key.indexOf('/'));
    for (const [at, cell] of row.cells.entries()) {
      const isAge = columns[at]?.type === 'date';
      const text = cellText(cell, '', 0);
      const dot = moodOf(text) === 'plain' ? 0 : 2;
      const length = isAge ? WIDTH.least : text.length + dot;
      known.columns[at] = Math.max(known.columns[at] ?? 0, length);
    }
  }
  const within = (length: number): number => Math.min(WIDTH.most, Math.max(WIDTH.least, length));
  return { namespace: within(known.namespace), columns: known.columns.map(within) };
}
