/** One object: how it is, its fields with the changes that gave them, its YAML and its history. */
import { useEffect } from 'preact/hooks';
import type { Pod } from '../../../api/generated/kinds/core-v1.ts';
import type { LogLine } from '../../client/browser.ts';
import { loadedView } from '../parts/loaded-view.tsx';
import { findKind } from '../state/discovery.ts';
import { gathered, livePath, useLive, type Taken } from '../state/live.ts';
import { go, kindPath, linkTo, pageLocation, type ObjectName } from '../state/page-location.ts';
import { may, unwatchedText } from '../state/rights.ts';
import { revisionShown } from '../time/marks.ts';
import { Actions } from './object-actions.tsx';
import { FieldsTab } from './object-fields.tsx';
import { HistoryTab } from './object-history.tsx';
import { SummaryTab } from './object-summary.tsx';
import { YamlTab } from './object-yaml.tsx';
import { pluralOf } from './navigation.tsx';
import type { ShownObject } from './shown-object.ts';

const LogsTab = loadedView(async () => (await import('./pod/logs-tab.tsx')).LogsTab);
const TerminalTab = loadedView(async () => (await import('./pod/terminal-tab.tsx')).TerminalTab);

const TABS = [
  ['', 'Summary'],
  ['fields', 'Fields'],
  ['yaml', 'YAML'],
  ['history', 'History'],
] as const;
const POD_TABS = [
  ['logs', 'Logs', 'get', 'log'],
  ['terminal', 'Terminal', 'create', 'exec'],
] as const;

/** What a node tells and takes is of now, and of the control plane that the node is of. */
function tabsOf({ group, resource }: ObjectName): readonly (readonly [string, string])[] {
  const { at, fork } = pageLocation.value;
  if (group !== '' || resource !== 'pods' || at !== '' || fork !== '') return TABS;
  const more = POD_TABS.filter(([, , verb, part]) =>
    may(verb, { group, resource: `pods/${part}` }),
  ).map(([name, title]) => [name, title] as const);
  return [...TABS, ...more];
}

export function ObjectView({ of }: { readonly of: ObjectName }) {
  const kind = findKind(of);
  const path = livePath(kindPath(of, of.namespace));
  const taken = useLive(`${path}/${of.name}`, (live) =>
    live.list$(path, { fieldSelector: `metadata.name=${of.name}` }),
  );
  // Objects of a collection have metadata; the rest is asked for where it is shown.
  const object = taken.value.value?.[0] as ShownObject | undefined;
  const isKnown = taken.value.value !== undefined;
  const revision = object?.metadata.resourceVersion ?? '';
  const isPast = pageLocation.value.at !== '';
  useEffect(() => {
    // The past of an object does not change while one moves in it.
    if (!isPast) revisionShown.value = `${path}/${of.name} ${revision}`;
  }, [path, of.name, revision, isPast]);
  const history = useHistory(of);
  const tabs = tabsOf(of);
  const asked = pageLocation.value.query['tab'] ?? '';
  const tab = tabs.some(([name]) => name === asked) ? asked : '';
  return (
    <section class="object">
      <header>
        <div>
          <Way of={of} />
          <h2 id="title">{of.name}</h2>
        </div>
        {kind !== undefined && object !== undefined && (
          <Actions kind={kind} of={of} object={object} />
        )}
      </header>
      <div class="tabs" role="tablist" aria-label="What is shown">
        {tabs.map(([name, title]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="tab-panel"
            onClick={() => go({ query: { ...pageLocation.value.query, tab: name } }, 'replace')}
          >
            {title}
          </button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {taken.problem.value !== '' && (
          <p class="problem">{unwatchedText(of) || taken.problem.value}</p>
        )}
        {isKnown && object === undefined && <Absent history={history.value.value ?? []} />}
        {tab === 'history' && <HistoryTab history={history} />}
        {object !== undefined && tab === '' && <SummaryTab of={of} object={object} />}
        {object !== undefined && tab === 'fields' && (
          <FieldsTab history={history} object={object} />
        )}
        {object !== undefined && tab === 'yaml' && <YamlTab of={of} object={object} />}
        {object !== undefined && tab === 'logs' && <LogsTab of={of} pod={podOf(object)} />}
        {object !== undefined && tab === 'terminal' && <TerminalTab of={of} pod={podOf(object)} />}
      </div>
    </section>
  );
}

/** The tabs are there for pods alone, so the object is one. */
function podOf(object: ShownObject): Pod {
  return object as ShownObject & Pod;
}

function Way({ of }: { readonly of: ObjectName }) {
  const kind = findKind(of);
  const { group, version, resource, namespace } = of;
  const view = { name: 'resources', of: { group, version, resource } } as const;
  return (
    <p class="way">
      <a href={linkTo({ view })}>{kind === undefined ? resource : pluralOf(kind)}</a>
      {namespace !== '' && (
        <>
          <span aria-hidden="true"> / </span>
          <a href={linkTo({ view, query: { namespace } })}>{namespace}</a>
        </>
      )}
    </p>
  );
}

/** Every revision, oldest first; asked for anew when the object has changed. */
function useHistory(of: ObjectName): Taken<readonly LogLine[]> {
  const { fork } = pageLocation.value;
  return useLive(JSON.stringify([fork, of, revisionShown.value]), (live) =>
    live.history$(of, fork).pipe(gathered(REVISIONS_MAX)),
  );
}

/** What the tab keeps of an object that changes without end. */
const REVISIONS_MAX = 2_000;

/** What there is to say of an object that is not there at this moment. */
function Absent({ history }: { readonly history: readonly LogLine[] }) {
  const at = Number(pageLocation.value.at);
  const isVersion = /^\d+$/.test(pageLocation.value.at);
  const before = isVersion ? history.filter((line) => line.resourceVersion <= at) : history;
  const last = before.at(-1);
  if (last?.type !== 'deleted') return <p class="nothing">It does not exist at this moment.</p>;
  const previous = String(last.resourceVersion - 1);
  return (
    <p class="nothing">
      <b>{last.user}</b> deleted it at version {String(last.resourceVersion)}.{' '}
      <a href={linkTo({ at: previous, query: pageLocation.value.query })}>
        Show it as it was before
      </a>
    </p>
  );
}
