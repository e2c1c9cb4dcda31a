/** All objects of a kind, live, with the columns that kubectl prints. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Rows } from '../../client/browser.ts';
import { countText } from '../parts/format.ts';
import { LiveTable } from '../parts/live-table.tsx';
import { currentMs, shownMs } from '../state/clock.ts';
import { parseColumns } from '../state/columns.ts';
import { findKind } from '../state/discovery.ts';
import { keepColumns, keptColumns } from '../state/kept-columns.ts';
import { livePath, useLive } from '../state/live.ts';
import { go, kindPath, linkTo, pageLocation, type KindName } from '../state/page-location.ts';
import { isWritable, may, unwatchedText } from '../state/rights.ts';
import { NewObject } from './new-object.tsx';
import { pluralOf } from './navigation.tsx';
import { TableCompare } from './compare/table-compare.tsx';
import { Chosen } from './table/chosen.tsx';
import { ColumnsEditor } from './table/columns-editor.tsx';

export function Resources({ of }: { readonly of: KindName }) {
  const kind = findKind(of);
  const { query } = pageLocation.value;
  const isNamespaced = kind?.isNamespaced === true;
  const namespace = isNamespaced ? (query['namespace'] ?? '') : '';
  const counts = useSignal('');
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const editsColumns = useSignal(false);
  const path = kindPath(of, namespace);
  useEffect(() => {
    counts.value = '';
    chosen.value = new Set();
    editsColumns.value = false;
  }, [path]);
  const isChosen =
    kind !== undefined && isWritable.value && (may('delete', of) || may('patch', of));
  const { since = '', labels = '', filter = '', sort = '' } = query;
  const unwatched = unwatchedText(of);
  const columnsText = query['columns'] ?? keptColumns(of);
  const columns = useMemo(() => parseColumns(columnsText), [columnsText]);
  return (
    <section class="resources">
      <header>
        <h2 id="title">{kind === undefined ? of.resource : pluralOf(kind)}</h2>
        <span class="dim">{counts.value}</span>
        <Tools of={of} namespace={namespace} onColumns={() => (editsColumns.value = true)} />
      </header>
      {editsColumns.value && (
        <ColumnsEditor
          path={path}
          value={columnsText}
          onChange={(next) => {
            keepColumns(of, next);
            setQuery({ columns: next });
          }}
          onClose={() => (editsColumns.value = false)}
        />
      )}
      {chosen.value.size > 0 && kind !== undefined && (
        <Chosen kind={kind} keys={chosen.value} onDone={() => (chosen.value = new Set())} />
      )}
      {unwatched !== '' && <p class="problem">{unwatched}</p>}
      {unwatched !== '' ? null : since === '' ? (
        <LiveTable
          path={path}
          label={kind === undefined ? of.resource : pluralOf(kind)}
          labelSelector={labels}
          filter={filter}
          sort={sort}
          onSort={(next) => setQuery({ sort: next })}
          hasNamespaces={isNamespaced && namespace === ''}
          linkOf={(key) => objectLink(of, key)}
          onRows={(rows) => (counts.value = countOf(rows))}
          {...(columns === undefined ? {} : { columns })}
          {...(isChosen ? { chosen: chosen.value, onChoose: (next) => (chosen.value = next) } : {})}
        />
      ) : (
        <TableCompare
          of={of}
          path={path}
          labelSelector={labels}
          columns={columns}
          since={since}
          onSince={(one) => setQuery({ since: one })}
        />
      )}
    </section>
  );
}

function setQuery(change: Record<string, string>): void {
  go({ query: { ...pageLocation.value.query, ...change } }, 'replace');
}

/** @param key `NAMESPACE/NAME`. */
function objectLink(of: KindName, key: string): string {
  const [namespace = '', name = ''] = key.split('/', 2);
  return linkTo({ view: { name: 'object', of: { ...of, namespace, name } } });
}

interface ToolsProps {
  readonly of: KindName;
  readonly namespace: string;
  readonly onColumns: () => void;
}

function Tools({ of, namespace, onColumns }: ToolsProps) {
  const kind = findKind(of);
  const { filter = '', labels = '', since = '' } = pageLocation.value.query;
  return (
    <div class="tools">
      {kind?.isNamespaced === true && (
        <Namespaces value={namespace} onChange={(one) => setQuery({ namespace: one })} />
      )}
      <Field
        id="row-filter"
        label="Filter"
        keys="/"
        value={filter}
        onChange={(one) => setQuery({ filter: one })}
      />
      <Field
        id="labels"
        label="Labels"
        hint="app=web"
        value={labels}
        onChange={(one) => setQuery({ labels: one })}
      />
      <button type="button" onClick={onColumns}>
        Columns…
      </button>
      <button
        type="button"
        aria-pressed={since !== ''}
        title="What changed since another moment"
        onClick={() => setQuery({ since: since === '' ? before() : '' })}
      >
        Changes
      </button>
      {kind !== undefined && isWritable.value && may('create', of) && (
        <NewObject kind={kind} namespace={namespace} />
      )}
    </div>
  );
}

const COMPARED_MS = 3_600_000;

/** An hour before what is shown. */
function before(): string {
  const shown = Number.isNaN(shownMs.value) ? currentMs() : shownMs.value;
  return new Date(shown - COMPARED_MS).toISOString();
}

function countOf(rows: Pick<Rows, 'matched' | 'total'> | undefined): string {
  if (rows === undefined) return '';
  const { matched, total } = rows;
  return matched === total ? countText(total) : `${countText(matched)} of ${countText(total)}`;
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly keys?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({ id, label, hint = '', keys, value, onChange }: FieldProps) {
  return (
    <input
      id={id}
      type="search"
      aria-label={label}
      placeholder={hint === '' ? label : `${label}: ${hint}`}
      spellcheck={false}
      value={value}
      {...(keys === undefined ? {} : { 'aria-keyshortcuts': keys })}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const NAMESPACES = '/api/v1/namespaces';

interface NamespacesProps {
  readonly value: string;
  readonly onChange: (namespace: string) => void;
}

/** Nothing where the user may not list them: the column on the left has a field then. */
function Namespaces({ value, onChange }: NamespacesProps) {
  const isListed = may('list', { group: '', resource: 'namespaces' });
  const { value: list } = useLive(
    `${livePath(NAMESPACES)} ${String(isListed)}`,
    isListed ? (live) => live.list$(livePath(NAMESPACES)) : undefined,
  );
  if (!isListed) return null;
  const names = (list.value ?? []).map(({ metadata }) => metadata.name ?? '');
  return (
    <select
      aria-label="Namespace"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">All namespaces</option>
      {(names.includes(value) || value === '' ? names : [value, ...names]).map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
