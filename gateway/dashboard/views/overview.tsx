/** How the control plane is: health, nodes and pods by state, objects by kind, warnings, newest changes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogLine, Rows } from '../../client/browser.ts';
import { ageText, cellText, countText, moodOf } from '../parts/format.ts';
import { shownMs } from '../state/clock.ts';
import { findKind, kindNamed } from '../state/discovery.ts';
import { askText, problemText } from '../state/http.ts';
import { gathered, livePath, useLive } from '../state/live.ts';
import { extent } from '../time/extent.ts';
import { linkTo, pageLocation, type KindName } from '../state/page-location.ts';
import { may } from '../state/rights.ts';
import { timer } from 'rxjs';
import { Figures } from './figures.tsx';
import { pluralOf } from './navigation.tsx';

const NODES: KindName = { group: '', version: 'v1', resource: 'nodes' };
const PODS: KindName = { group: '', version: 'v1', resource: 'pods' };
const EVENTS: KindName = { group: '', version: 'v1', resource: 'events' };

export function Overview() {
  return (
    <section class="overview">
      <header>
        <h2 id="title">
          {pageLocation.value.fork === '' ? 'Overview' : `Fork ${pageLocation.value.fork}`}
        </h2>
      </header>
      <div class="tiles">
        <Health />
        <States of={NODES} title="Nodes" />
        <States of={PODS} title="Pods" />
        <Kinds />
        <Warnings />
        <Changes />
      </div>
    </section>
  );
}

interface Check {
  readonly name: string;
  readonly isGood: boolean;
}

const CHECKS_EACH_MS = 10_000;

function Health() {
  const checks = useSignal<readonly Check[] | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    const asking = timer(0, CHECKS_EACH_MS).subscribe(() => {
      askText('/readyz?verbose', { accept: '*/*', prefix: '' }).then(
        (text) => {
          checks.value = checksIn(text);
          problem.value = '';
        },
        (error: unknown) => {
          const text = problemText(error);
          checks.value = checksIn(text);
          problem.value = checks.value.length > 0 ? '' : text;
        },
      );
    });
    return () => {
      asking.unsubscribe();
    };
  }, []);
  const all = checks.value ?? [];
  const bad = all.filter(({ isGood }) => !isGood);
  const isGood = problem.value === '' && bad.length === 0;
  return (
    <article class="tile">
      <h3>Control plane</h3>
      {checks.value === undefined ? (
        <p class="waiting">…</p>
      ) : (
        <p class="figure">
          <span class={`dot ${isGood ? 'good' : 'bad'}`} aria-hidden="true" />
          {isGood ? 'Ready' : 'Not ready'}
        </p>
      )}
      {problem.value !== '' && <p class="problem">{problem.value}</p>}
      <ul class="plain-list">
        {bad.map(({ name }) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      {all.length > 0 && (
        <p class="dim">{`${String(all.length - bad.length)} of ${String(all.length)} checks pass`}</p>
      )}
      <Figures />
    </article>
  );
}

/** `[+]ping ok` and `[-]log failed: …`, a line each. */
function checksIn(text: string): Check[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('[+]') || line.startsWith('[-]'))
    .map((line) => ({ name: line.slice(3), isGood: line.startsWith('[+]') }));
}

const COUNTS = { offset: 0, limit: 0 } as const;

/** How many there are in which state. */
function States({ of, title }: { readonly of: KindName; readonly title: string }) {
  const path = livePath(`/api/${of.version}/${of.resource}`);
  const isShown = may('watch', of);
  const { value, problem } = useLive(
    `${path} states`,
    isShown
      ? (live) => live.rows$(path, { window: { ...COUNTS, groups: ['Status'] }, rateMs: 500 })
      : undefined,
  );
  if (!isShown) return null;
  const counts = value.value?.groups[0]?.counts ?? [];
  const total = value.value?.matched ?? 0;
  return (
    <article class="tile">
      <h3>
        <a href={linkTo({ view: { name: 'resources', of } })}>{title}</a>
      </h3>
      {problem.value === '' ? (
        <p class="figure">{value.value === undefined ? '…' : countText(total)}</p>
      ) : (
        <p class="problem">{problem.value}</p>
      )}
      <Proportions counts={counts} total={total} />
      <ul class="states">
        {counts.slice(0, 6).map(({ value: state, count }) => (
          <li key={state}>
            <span class={`dot ${moodOf(state)}`} aria-hidden="true" />
            <a href={linkTo({ view: { name: 'resources', of }, query: { filter: state } })}>
              {state === '' ? 'none' : state}
            </a>
            <span class="count">{countText(count)}</span>
          </li>
        ))}
      </ul>
    </article>
  );
}

interface Counted {
  readonly counts: readonly { readonly value: string; readonly count: number }[];
  readonly total: number;
}

function Proportions({ counts, total }: Counted) {
  if (total === 0) return null;
  let x = 0;
  return (
    <svg class="proportions" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {counts.map(({ value, count }) => {
        const width = (count / total) * 100;
        const from = x;
        x += width;
        return <rect key={value} class={moodOf(value)} x={from} y="0" width={width} height="4" />;
      })}
    </svg>
  );
}

const COUNTED: readonly (readonly [group: string, resource: string])[] = [
  ['apps', 'deployments'],
  ['apps', 'statefulsets'],
  ['apps', 'daemonsets'],
  ['batch', 'jobs'],
  ['', 'services'],
  ['networking.k8s.io', 'ingresses'],
  ['', 'configmaps'],
  ['', 'secrets'],
  ['', 'persistentvolumeclaims'],
  ['', 'namespaces'],
];

function Kinds() {
  const shown = COUNTED.map(([group, resource]) => findKind({ group, resource }))
    .filter((kind) => kind !== undefined)
    .filter((kind) => may('watch', kind));
  if (shown.length === 0) return null;
  return (
    <article class="tile">
      <h3>Objects</h3>
      <ul class="counts">
        {shown.map((kind) => (
          <li key={`${kind.group}/${kind.resource}`}>
            <a href={linkTo({ view: { name: 'resources', of: nameOf(kind) } })}>{pluralOf(kind)}</a>
            <Count of={kind} />
          </li>
        ))}
      </ul>
    </article>
  );
}

function nameOf({ group, version, resource }: KindName): KindName {
  return { group, version, resource };
}

function Count({ of }: { readonly of: KindName }) {
  const root = of.group === '' ? `/api/${of.version}` : `/apis/${of.group}/${of.version}`;
  const path = livePath(`${root}/${of.resource}`);
  const { value } = useLive(`${path} count`, (live) =>
    live.rows$(path, { window: COUNTS, rateMs: 1_000 }),
  );
  return <span class="count">{value.value === undefined ? '' : countText(value.value.total)}</span>;
}

const WARNING_COLUMNS = [
  { name: 'Last', jsonPath: '.lastTimestamp', type: 'date' },
  { name: 'Reason', jsonPath: '.reason', type: 'string' },
  { name: 'Version', jsonPath: '.involvedObject.apiVersion', type: 'string' },
  { name: 'Kind', jsonPath: '.involvedObject.kind', type: 'string' },
  { name: 'Within', jsonPath: '.involvedObject.namespace', type: 'string' },
  { name: 'Object', jsonPath: '.involvedObject.name', type: 'string' },
  { name: 'Message', jsonPath: '.message', type: 'string' },
] as const;

function Warnings() {
  const path = livePath('/api/v1/events');
  const isShown = may('watch', EVENTS);
  const { value, problem } = useLive(
    `${path} warnings`,
    isShown
      ? (live) =>
          live.rows$(path, {
            fieldSelector: 'type=Warning',
            columns: WARNING_COLUMNS,
            window: { offset: 0, limit: 8, sort: [{ column: 'Last', descending: true }] },
            rateMs: 500,
          })
      : undefined,
  );
  if (!isShown) return null;
  return (
    <article class="tile wide">
      <h3>
        Warnings{' '}
        <span class="dim">{value.value === undefined ? '' : countText(value.value.total)}</span>
      </h3>
      {problem.value !== '' && <p class="nothing">{problem.value}</p>}
      {value.value?.rows.length === 0 && <p class="nothing">No warnings.</p>}
      <ul class="lines">
        {value.value?.rows.map((row) => (
          <Warning key={row.key} row={row} />
        ))}
      </ul>
    </article>
  );
}

function Warning({ row: { cells } }: { readonly row: Rows['rows'][number] }) {
  const texts = cells.map((cell) => cellText(cell, '', 0));
  const [last, reason, version = '', kindName = '', namespace = '', name = '', message] = texts;
  const ms = Date.parse(last ?? '');
  const kind = kindNamed(version, kindName);
  return (
    <li>
      <time>{Number.isNaN(ms) ? '' : ageText(ms, shownMs.value)}</time>
      <span title={message}>
        <span class="dot bad" aria-hidden="true" /> <b>{reason}</b> {kindName}{' '}
        {kind === undefined ? (
          name
        ) : (
          <a href={linkTo({ view: { name: 'object', of: { ...nameOf(kind), namespace, name } } })}>
            {namespace === '' ? name : `${namespace}/${name}`}
          </a>
        )}
        <span class="dim"> {message}</span>
      </span>
    </li>
  );
}

const CHANGES_SHOWN = 12;
/** Where nothing follows at once, these are shown. */
const CHANGES_BACK = 200;

function Changes() {
  const newest = extent.value?.newest;
  const from = Math.max(0, (newest ?? 0) - CHANGES_BACK);
  const path = livePath(`/everwatch/v1/changes?from=${String(from)}&follow=true`);
  const isShown = newest !== undefined && pageLocation.value.at === '';
  const { value, problem } = useLive(
    path,
    isShown ? (live) => live.lines$(path).pipe(gathered(CHANGES_SHOWN)) : undefined,
  );
  if (problem.value !== '' || !isShown) return null;
  return (
    <article class="tile wide">
      <h3>Newest changes</h3>
      <ul class="lines">
        {[...(value.value ?? [])].reverse().map((line) => {
          // The path says that these are lines of the log.
          const change = line as typeof line & LogLine;
          return <ChangeLine key={change.resourceVersion} line={change} />;
        })}
      </ul>
    </article>
  );
}

function ChangeLine({ line }: { readonly line: LogLine }) {
  const { time, user, verb, resource, namespace, name, resourceVersion } = line;
  const [group = '', plural = ''] = resource.split('/', 2);
  const kind = findKind({ group: group === 'core' ? '' : group, resource: plural });
  const object = namespace === '' ? name : `${namespace}/${name}`;
  const href =
    kind === undefined
      ? linkTo({ at: String(resourceVersion) })
      : linkTo({ view: { name: 'object', of: { ...nameOf(kind), namespace, name } } });
  return (
    <li>
      <time>{ageText(Date.parse(time), shownMs.value)}</time>
      <span>
        <b>{user}</b> {verb} {plural} <a href={href}>{object}</a>
      </span>
    </li>
  );
}
