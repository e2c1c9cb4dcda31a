/** How an object is: what kubectl prints of it, labels, conditions, owners, dependents and events. */
import type { ComponentChildren } from 'preact';
import type { Pod } from '../../../api/generated/kinds/core-v1.ts';
import { ageText, cellText, moodOf, timeText } from '../parts/format.ts';
import { shownMs } from '../state/clock.ts';
import { findKind, kindNamed } from '../state/discovery.ts';
import { livePath, useLive } from '../state/live.ts';
import { kindPath, linkTo, type ObjectName } from '../state/place.ts';
import { may } from '../state/rights.ts';
import { Containers } from './pod/containers-part.tsx';
import type { Condition, ShownObject } from './shown-object.ts';

interface SummaryProps {
  readonly of: ObjectName;
  readonly object: ShownObject;
}

export function SummaryTab({ of, object }: SummaryProps) {
  const { labels = {}, annotations = {}, finalizers = [] } = object.metadata;
  const conditions = object.status?.conditions ?? [];
  return (
    <div class="summary">
      <Printed of={of} object={object} />
      {of.group === '' && of.resource === 'pods' && <PodParts of={of} object={object} />}
      {conditions.length > 0 && <Conditions conditions={conditions} />}
      <Relations of={of} object={object} />
      <Events of={of} object={object} />
      {Object.keys(labels).length > 0 && <Pairs title="Labels" pairs={labels} />}
      {Object.keys(annotations).length > 0 && <Pairs title="Annotations" pairs={annotations} />}
      {finalizers.length > 0 && (
        <Part title="Finalizers">
          <p>{finalizers.join(', ')}</p>
        </Part>
      )}
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

function Part({ title, children }: PartProps) {
  return (
    <article class="part">
      <h3>{title}</h3>
      {children}
    </article>
  );
}

/** Of a pod: where it runs, and its containers. */
function PodParts({ of, object }: SummaryProps) {
  // Objects of this resource are pods.
  const pod = object as ShownObject & Pod;
  return <Containers of={of} pod={pod} />;
}

/** The printed columns of this one row. */
function Printed({ of, object }: SummaryProps) {
  const path = livePath(kindPath(of, of.namespace));
  const { value } = useLive(`${path}/${of.name} printed`, (live) =>
    live.rows$(path, {
      fieldSelector: `metadata.name=${of.name}`,
      window: { offset: 0, limit: 1 },
    }),
  );
  const row = value.value?.rows[0];
  const { creationTimestamp = '', deletionTimestamp, uid = '' } = object.metadata;
  return (
    <article class="part first">
      <dl class="facts">
        {value.value?.columns
          .map((column, at) => [column, row?.cells[at]] as const)
          .filter(([{ name }]) => name !== 'Name')
          .map(([{ name, type }, cell]) => {
            const text = cellText(cell, type, shownMs.value);
            const mood = name === 'Status' ? moodOf(text) : 'plain';
            return (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {mood !== 'plain' && <span class={`dot ${mood}`} aria-hidden="true" />}
                  {text === '' ? '–' : text}
                </dd>
              </div>
            );
          })}
        <div>
          <dt>Created</dt>
          <dd>{timeText(Date.parse(creationTimestamp))}</dd>
        </div>
        {deletionTimestamp !== undefined && (
          <div>
            <dt>Deletion asked for</dt>
            <dd>{timeText(Date.parse(deletionTimestamp))}</dd>
          </div>
        )}
        <div>
          <dt>UID</dt>
          <dd class="mono">{uid}</dd>
        </div>
      </dl>
    </article>
  );
}

/** A condition named as a failure is good when it is false. */
const BAD_WHEN_TRUE = /pressure|unavailable|failure|failed|disruption|dangling|problem/i;

function conditionMood({ type, status }: Condition) {
  if (status === 'Unknown') return 'busy';
  const isGood = (status === 'True') !== BAD_WHEN_TRUE.test(type);
  return isGood ? 'good' : 'bad';
}

function Conditions({ conditions }: { readonly conditions: readonly Condition[] }) {
  return (
    <Part title="Conditions">
      <ul class="lines">
        {conditions.map((one) => (
          <li key={one.type}>
            <time>{sinceText(one.lastTransitionTime)}</time>
            <span>
              <span class={`dot ${conditionMood(one)}`} aria-hidden="true" /> <b>{one.type}</b>{' '}
              {one.status} <span class="dim">{one.message ?? one.reason ?? ''}</span>
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function sinceText(time: string | undefined): string {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? '' : ageText(ms, shownMs.value);
}

/** The kinds whose objects an object of this one may own. */
const OWNED: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['apps/replicasets'],
  ReplicaSet: ['/pods'],
  ReplicationController: ['/pods'],
  StatefulSet: ['/pods', 'apps/controllerrevisions'],
  DaemonSet: ['/pods', 'apps/controllerrevisions'],
  Job: ['/pods'],
  CronJob: ['batch/jobs'],
  Service: ['discovery.k8s.io/endpointslices'],
  Node: ['coordination.k8s.io/leases'],
};

/** Kinds that custom resources own most often. */
const OWNED_BY_OTHERS = [
  'apps/deployments',
  'apps/statefulsets',
  'batch/jobs',
  '/services',
  '/configmaps',
];

function Relations({ of, object }: SummaryProps) {
  const { ownerReferences = [], uid = '' } = object.metadata;
  const isCustom = of.group.includes('.') && !of.group.endsWith('.k8s.io');
  const owned = OWNED[object.kind ?? ''] ?? (isCustom ? OWNED_BY_OTHERS : []);
  if (ownerReferences.length === 0 && owned.length === 0) return null;
  return (
    <Part title="Owners and dependents">
      <ul class="tree">
        {ownerReferences.map((owner) => (
          <li key={owner.uid}>
            <span class="dim">owned by</span> {owner.kind} <OwnerLink of={of} owner={owner} />
          </li>
        ))}
        {owned.map((one) => (
          <Dependents key={one} kind={one} namespace={of.namespace} uid={uid} object={object} />
        ))}
      </ul>
    </Part>
  );
}

interface OwnerProps {
  readonly of: ObjectName;
  readonly owner: { readonly apiVersion: string; readonly kind: string; readonly name: string };
}

function OwnerLink({ of, owner }: OwnerProps) {
  const kind = kindNamed(owner.apiVersion, owner.kind);
  if (kind === undefined) return <b>{owner.name}</b>;
  const namespace = kind.isNamespaced ? of.namespace : '';
  const { group, version, resource } = kind;
  const name = { group, version, resource, namespace, name: owner.name };
  return <a href={linkTo({ view: { name: 'object', of: name } })}>{owner.name}</a>;
}

interface DependentsProps {
  /** `apps/replicasets`. */
  readonly kind: string;
  readonly namespace: string;
  readonly uid: string;
  readonly object: ShownObject;
}

const DEPENDENTS_SHOWN = 50;

function Dependents({ kind: text, namespace, uid, object }: DependentsProps) {
  const [group = '', resource = ''] = text.split('/', 2);
  const kind = findKind({ group, resource });
  const isShown = kind !== undefined && may('watch', kind);
  const path = kind === undefined ? '' : livePath(kindPath(kind, namespace));
  const labelSelector = labelSelectorOf(object.spec?.selector);
  const { value } = useLive(
    JSON.stringify([path, labelSelector, isShown]),
    isShown ? (live) => live.list$(path, { labelSelector }) : undefined,
  );
  const owned = (value.value ?? []).filter((one) => {
    const { metadata } = one as ShownObject;
    return metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  });
  if (kind === undefined || owned.length === 0) return null;
  return (
    <>
      {owned.slice(0, DEPENDENTS_SHOWN).map(({ metadata }) => {
        const { name = '' } = metadata;
        const { version } = kind;
        const of = { group, version, resource, namespace, name };
        return (
          <li key={metadata.uid}>
            <span class="dim">owns</span> {kind.kind}{' '}
            <a href={linkTo({ view: { name: 'object', of } })}>{name}</a>
          </li>
        );
      })}
      {owned.length > DEPENDENTS_SHOWN && (
        <li class="dim">{`and ${String(owned.length - DEPENDENTS_SHOWN)} more`}</li>
      )}
    </>
  );
}

/** Of a selector by matchLabels, or of plain labels; '' where it is neither. */
function labelSelectorOf(selector: unknown): string {
  if (typeof selector !== 'object' || selector === null) return '';
  const labels: unknown = 'matchLabels' in selector ? selector.matchLabels : selector;
  if (typeof labels !== 'object' || labels === null) return '';
  const pairs = Object.entries(labels).filter(([, value]) => typeof value === 'string');
  return pairs.map(([key, value]) => `${key}=${String(value)}`).join(',');
}

const EVENT_COLUMNS = [
  { name: 'Last', jsonPath: '.lastTimestamp', type: 'date' },
  { name: 'Type', jsonPath: '.type', type: 'string' },
  { name: 'Reason', jsonPath: '.reason', type: 'string' },
  { name: 'Message', jsonPath: '.message', type: 'string' },
] as const;

const EVENTS = { group: '', version: 'v1', resource: 'events' };

function Events({ of, object }: SummaryProps) {
  const path = livePath(kindPath(EVENTS, of.namespace));
  const isShown = may('watch', EVENTS);
  const fieldSelector = `involvedObject.kind=${object.kind ?? ''},involvedObject.name=${of.name}`;
  const { value } = useLive(
    `${path} ${fieldSelector}`,
    isShown
      ? (live) =>
          live.rows$(path, {
            fieldSelector,
            columns: EVENT_COLUMNS,
            window: { offset: 0, limit: 20, sort: [{ column: 'Last', descending: true }] },
          })
      : undefined,
  );
  const rows = value.value?.rows ?? [];
  if (rows.length === 0) return null;
  return (
    <Part title="Events">
      <ul class="lines">
        {rows.map(({ key, cells: [last, type, reason, message] }) => (
          <li key={key}>
            <time>{sinceText(cellText(last, '', 0))}</time>
            <span>
              <span class={`dot ${type === 'Warning' ? 'bad' : 'plain'}`} aria-hidden="true" />{' '}
              <b>{cellText(reason, '', 0)}</b> <span class="dim">{cellText(message, '', 0)}</span>
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Pairs({ title, pairs }: { title: string; pairs: Readonly<Record<string, string>> }) {
  return (
    <Part title={title}>
      <dl class="pairs">
        {Object.entries(pairs).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd title={value}>{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}
