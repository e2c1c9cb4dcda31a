/**
 * Owners of an object to its left and what it owns to its right, live, as far as the user may see them.
 * Each list of dependents is a window that the server filters by the uid of the owner.
 */
import type { LiveColumn } from '../../../../api/live/live-messages.ts';
import type { Row } from '../../../client/browser.ts';
import { cellText, moodOf, type Mood } from '../../parts/format.ts';
import { kindNamed, kinds, type Kind } from '../../state/discovery.ts';
import { livePath, useLive } from '../../state/live.ts';
import { kindPath, linkTo, type KindName, type ObjectName } from '../../state/page-location.ts';
import { may } from '../../state/rights.ts';
import type { ShownObject } from '../shown-object.ts';
import { ownedKinds } from './owned-kinds.ts';

interface RelationsProps {
  readonly of: ObjectName;
  readonly object: ShownObject;
}

type Owner = NonNullable<ShownObject['metadata']['ownerReferences']>[number];

export function Relations({ of, object }: RelationsProps) {
  const { ownerReferences: owners = [], uid = '' } = object.metadata;
  const owned = ownedKinds(of, kinds.value);
  if (owners.length === 0 && owned.length === 0) return null;
  return (
    <article class="part first">
      <h3>Owners and dependents</h3>
      <div class="graph" role="group" aria-label="Owners and dependents" tabIndex={0}>
        {owners.length > 0 && <Owners owners={owners} namespace={of.namespace} level={1} />}
        <div class="node here" aria-current="true">
          <span class="dim">{object.kind}</span>
          <b>{of.name}</b>
        </div>
        {owned.length > 0 && <Dependents of={of} uid={uid} owned={owned} level={1} />}
      </div>
    </article>
  );
}

const LEVELS_MAX = 3;

interface OwnersProps {
  readonly owners: readonly Owner[];
  readonly namespace: string;
  readonly level: number;
}

function Owners({ owners, namespace, level }: OwnersProps) {
  return (
    <ul class="branches up" aria-label="Owned by">
      {owners.map((owner) => (
        <OwnerNode key={owner.uid} owner={owner} namespace={namespace} level={level} />
      ))}
    </ul>
  );
}

interface OwnerProps {
  readonly owner: Owner;
  readonly namespace: string;
  readonly level: number;
}

function OwnerNode({ owner, namespace, level }: OwnerProps) {
  const kind = kindNamed(owner.apiVersion, owner.kind);
  const within = kind?.isNamespaced === true ? namespace : '';
  const path = kind === undefined ? '' : livePath(kindPath(kind, within));
  const isShown = kind !== undefined && may('watch', kind);
  const { value } = useLive(
    `${path} ${owner.name} owner`,
    isShown
      ? (live) => live.list$(path, { fieldSelector: `metadata.name=${owner.name}` })
      : undefined,
  );
  const object = value.value?.[0] as ShownObject | undefined;
  const isGone = value.value !== undefined && object?.metadata.uid !== owner.uid;
  const above = isGone ? [] : (object?.metadata.ownerReferences ?? []);
  return (
    <li>
      {above.length > 0 && level < LEVELS_MAX && (
        <Owners owners={above} namespace={within} level={level + 1} />
      )}
      <div class="node">
        <span class="dim">
          {owner.kind}
          {isGone && ', gone'}
        </span>
        {kind === undefined ? (
          <b>{owner.name}</b>
        ) : (
          <a href={objectLink(kind, within, owner.name)}>{owner.name}</a>
        )}
      </div>
    </li>
  );
}

function objectLink({ group, version, resource }: KindName, namespace: string, name: string) {
  const of = { group, version, resource, namespace, name };
  return linkTo({ view: { name: 'object', of } });
}

interface DependentsProps {
  readonly of: Pick<ObjectName, 'namespace'>;
  readonly uid: string;
  readonly owned: readonly Kind[];
  readonly level: number;
}

function Dependents({ of, uid, owned, level }: DependentsProps) {
  return (
    <ul class="branches" aria-label="Owns">
      {owned
        .filter((kind) => may('watch', kind))
        .map((kind) => (
          <OfKind
            key={`${kind.group}/${kind.resource}`}
            kind={kind}
            namespace={kind.isNamespaced ? of.namespace : ''}
            uid={uid}
            level={level}
          />
        ))}
    </ul>
  );
}

const OWNERS: LiveColumn = { name: 'Owners', jsonPath: '.metadata.ownerReferences' };
const COLUMNS: readonly LiveColumn[] = [
  OWNERS,
  { name: 'Uid', jsonPath: '.metadata.uid' },
  { name: 'Wanted', jsonPath: '.spec.replicas', type: 'integer' },
  { name: 'Ready', jsonPath: '.status.readyReplicas', type: 'integer' },
  { name: 'Phase', jsonPath: '.status.phase' },
];
/** What is printed of a pod says more than its phase. */
const POD_COLUMNS: readonly LiveColumn[] = [...COLUMNS.slice(0, 2), 'Ready', 'Ready', 'Status'];

const SHOWN_MAX = 12;

interface OfKindProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly uid: string;
  readonly level: number;
}

function OfKind({ kind, namespace, uid, level }: OfKindProps) {
  const path = livePath(kindPath(kind, namespace));
  const isPod = kind.group === '' && kind.resource === 'pods';
  const { value } = useLive(`${path} ${uid} owned`, (live) =>
    live.rows$(path, {
      columns: isPod ? POD_COLUMNS : COLUMNS,
      window: { offset: 0, limit: SHOWN_MAX, filter: [{ column: 'Owners', contains: uid }] },
      rateMs: 500,
    }),
  );
  const { rows = [], matched = 0 } = value.value ?? {};
  const { group, version, resource } = kind;
  const all = { view: { name: 'resources', of: { group, version, resource } } } as const;
  return (
    <>
      {rows.map((row) => (
        <DependentNode key={row.key} kind={kind} row={row} level={level} />
      ))}
      {matched > rows.length && rows.length > 0 && (
        <li>
          <div class="node">
            <a href={linkTo({ ...all, query: namespace === '' ? {} : { namespace } })}>
              and {String(matched - rows.length)} more
            </a>
          </div>
        </li>
      )}
    </>
  );
}

interface NodeProps {
  readonly kind: Kind;
  readonly row: Row;
  readonly level: number;
}

function DependentNode({ kind, row, level }: NodeProps) {
  const [namespace = '', name = ''] = row.key.split('/', 2);
  const [, uid, wanted, ready, phase] = row.cells.map((cell) => cellText(cell, '', 0));
  const { text, mood } = stateOf(wanted ?? '', ready ?? '', phase ?? '');
  const below = wanted === '0' || level >= LEVELS_MAX ? [] : ownedKinds(kind, kinds.value);
  return (
    <li>
      <div class={`node${wanted === '0' ? ' idle' : ''}`}>
        <span class="dim">
          <span class={`dot ${mood}`} aria-hidden="true" />
          {kind.kind} {text}
        </span>
        <a href={objectLink(kind, namespace, name)}>{name}</a>
      </div>
      {below.length > 0 && (
        <Dependents of={{ namespace }} uid={uid ?? ''} owned={below} level={level + 1} />
      )}
    </li>
  );
}

function stateOf(wanted: string, ready: string, phase: string): { text: string; mood: Mood } {
  if (phase !== '') return { text: phase, mood: moodOf(phase) };
  if (!/^\d+$/.test(wanted)) return { text: '', mood: 'plain' };
  const now = ready === '' ? '0' : ready;
  const mood = wanted === '0' ? 'plain' : now === wanted ? 'good' : 'busy';
  return { text: `${now}/${wanted}`, mood };
}
