/** Which columns a table has: printed ones, those of wide output among them, and own ones by JSONPath. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveColumn } from '../../../../api/live/live-messages.ts';
import { cellText } from '../../parts/format.ts';
import { shownMs } from '../../state/clock.ts';
import {
  formatColumns,
  isColumnName,
  nameOf,
  normalPath,
  parseColumns,
} from '../../state/columns.ts';
import { livePath, useLive } from '../../state/live.ts';
import { usePrintedColumns, usualColumns } from '../../state/printed-columns.ts';

interface EditorProps {
  /** The collection. */
  readonly path: string;
  /** As text for the address; '' for the printed ones. */
  readonly value: string;
  readonly onChange: (columns: string) => void;
  readonly onClose: () => void;
}

export function ColumnsEditor({ path, value, onChange, onClose }: EditorProps) {
  const element = useRef<HTMLDialogElement>(null);
  const { columns: printed, problem } = usePrintedColumns(path);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const usual = usualColumns(printed.value);
  const chosen = parseColumns(value) ?? usual;
  const own = chosen.filter((column) => typeof column !== 'string');
  const names = new Set(chosen.map(nameOf));
  const set = (columns: readonly LiveColumn[]): void => {
    const text = formatColumns(columns);
    onChange(text === formatColumns(usual) ? '' : text);
  };
  const toggle = (name: string): void => {
    const order = printed.value.map((one) => one.name);
    const shown = names.has(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    const places = shown.map((one) =>
      typeof one === 'string' ? order.indexOf(one) : order.length,
    );
    const sorted = shown.map((one, at) => ({ one, place: places[at] ?? 0 }));
    sorted.sort((a, b) => a.place - b.place);
    set(sorted.map(({ one }) => one));
  };
  return (
    <dialog ref={element} class="columns" aria-labelledby="columns-title" onClose={onClose}>
      <h2 id="columns-title">Columns</h2>
      {problem.value !== '' && <p class="problem">{problem.value}</p>}
      <ul class="choices">
        {printed.value.map(({ name, priority }) => (
          <li key={name}>
            <label class="check">
              <input type="checkbox" checked={names.has(name)} onChange={() => toggle(name)} />
              {name} {priority > 0 && <span class="dim">wide</span>}
            </label>
          </li>
        ))}
      </ul>
      <OwnColumns own={own} onRemove={(column) => set(chosen.filter((one) => one !== column))} />
      <OwnColumn path={path} taken={names} onAdd={(column) => set([...chosen, column])} />
      <form method="dialog" class="actions">
        <button type="button" disabled={value === ''} onClick={() => onChange('')}>
          As kubectl prints them
        </button>
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}

type Own = Exclude<LiveColumn, string>;

interface OwnListProps {
  readonly own: readonly Own[];
  readonly onRemove: (column: Own) => void;
}

function OwnColumns({ own, onRemove }: OwnListProps) {
  if (own.length === 0) return null;
  return (
    <ul class="own" aria-label="Own columns">
      {own.map((column) => (
        <li key={column.name}>
          <span>{column.name}</span> <code>{column.jsonPath}</code>
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${column.name}`}
            onClick={() => onRemove(column)}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}

interface OwnProps {
  readonly path: string;
  readonly taken: ReadonlySet<string>;
  readonly onAdd: (column: LiveColumn) => void;
}

const PREVIEWED = 5;

/** One more, with what it would show of the first objects. */
function OwnColumn({ path, taken, onAdd }: OwnProps) {
  const name = useSignal('');
  const text = useSignal('');
  const jsonPath = normalPath(text.value);
  const [column] = parseColumns(`Preview=${jsonPath}`) ?? [];
  const { value, problem } = useLive(
    `${livePath(path)} preview ${jsonPath}`,
    column === undefined
      ? undefined
      : (live) =>
          live.rows$(livePath(path), {
            columns: ['Name', column],
            window: { offset: 0, limit: PREVIEWED },
          }),
  );
  const isGood = isColumnName(name.value) && !taken.has(name.value.trim()) && jsonPath !== '';
  function add(event: Event): void {
    event.preventDefault();
    const [made] = parseColumns(`${name.value.trim()}=${jsonPath}`) ?? [];
    if (!isGood || problem.value !== '' || made === undefined) return;
    onAdd(made);
    name.value = '';
    text.value = '';
  }
  const rows = jsonPath === '' ? [] : (value.value?.rows ?? []);
  return (
    <form class="own-column" onSubmit={add}>
      <label class="field">
        Own column
        <input
          placeholder="Node"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <label class="field">
        JSONPath
        <input
          class="mono"
          placeholder=".spec.nodeName"
          spellcheck={false}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={!isGood || problem.value !== ''}>
        Add
      </button>
      <div class="preview" role="status">
        {taken.has(name.value.trim()) && <p class="problem">There is a column of this name.</p>}
        {problem.value !== '' && <p class="problem">{problem.value}</p>}
        {problem.value === '' && rows.length > 0 && (
          <dl class="pairs">
            {rows.map(({ key, cells }) => (
              <div key={key}>
                <dt>{key.replace(/^\//, '')}</dt>
                <dd>{cellText(cells[1], '', shownMs.value) || '–'}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </form>
  );
}
