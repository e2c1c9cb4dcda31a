/** How an object is: what kubectl prints of it, labels, conditions, owners, dependents and events. */
import type { ComponentChildren } from 'preact';
import type { Pod, Service } from '../../../api/generated/kinds/core-v1.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { ageText, cellText, moodOf, timeText } from '../parts/format.ts';
import { shownMs } from '../state/clock.ts';
import { livePath, useLive } from '../state/live.ts';
import { kindPath, pageLocation, type ObjectName } from '../state/page-location.ts';
import { may } from '../state/rights.ts';
import { portForwardCommand } from '../time/commands.ts';
import { Relations } from './graph/relations.tsx';
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
      {of.group === '' && of.resource === 'services' && <ServicePorts of={of} object={object} />}
      <Relations of={of} object={object} />
      {conditions.length > 0 && <Conditions conditions={conditions} />}
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

const FORWARDS = { group: '', resource: 'pods/portforward' };

/** The command that reaches a pod behind the service; a service without selector has none that kubectl finds. */
function ServicePorts({ of: { namespace, name }, object }: SummaryProps) {
  // Objects of this resource are services.
  const { spec } = object as ShownObject & Service;
  const ports = (spec.ports ?? []).filter(({ protocol }) => protocol === 'TCP');
  const { at, fork } = pageLocation.value;
  const hasPods = at === '' && fork === '' && Object.keys(spec.selector ?? {}).length > 0;
  if (ports.length === 0 || !hasPods || !may('create', FORWARDS)) return null;
  const target = { namespace, target: `service/${name}` };
  return (
    <Part title="Ports">
      <CopyCommand
        label="Reach its ports from this machine"
        command={portForwardCommand(
          target,
          ports.map(({ port }) => port),
        )}
      />
    </Part>
  );
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
  const { value, problem } = useLive(
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
  if (problem.value !== '') {
    return (
      <Part title="Events">
        <p class="nothing">{problem.value}</p>
      </Part>
    );
  }
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
