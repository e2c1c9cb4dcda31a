/** Every revision of an object: when, by which user, and what it changed; and what lies between two. */
import { useSignal } from '@preact/signals';
import type { LogLine } from '../../client/browser.ts';
import { ageText, timeText } from '../parts/format.ts';
import { shownMs } from '../state/clock.ts';
import { changedFields, type FieldChange } from '../state/fields.ts';
import type { Taken } from '../state/live.ts';
import { linkTo, pageLocation } from '../state/page-location.ts';

const CHANGES_SHOWN = 6;

interface HistoryProps {
  /** Oldest first. */
  readonly history: Taken<readonly LogLine[]>;
}

export function HistoryTab({ history }: HistoryProps) {
  const lines = history.value.value;
  if (history.problem.value !== '') return <p class="problem">{history.problem.value}</p>;
  if (lines === undefined) return <p class="waiting">Loading…</p>;
  if (lines.length === 0) return <p class="nothing">The log has nothing of it.</p>;
  return <Revisions lines={lines} />;
}

function Revisions({ lines }: { readonly lines: readonly LogLine[] }) {
  const from = useSignal<number | undefined>(undefined);
  const newestFirst = lines.map((line, at) => ({ line, before: lines[at - 1] })).reverse();
  const base = lines.find(({ resourceVersion }) => resourceVersion === from.value);
  return (
    <ol class="revisions" aria-label="Revisions, newest first">
      {newestFirst.map(({ line, before }) => (
        <li
          key={line.resourceVersion}
          {...(isHere(line) ? { 'aria-current': 'true' as const } : {})}
        >
          <div class="revision">
            <a href={linkTo({ at: String(line.resourceVersion), query: pageLocation.value.query })}>
              {String(line.resourceVersion)}
            </a>
            <time title={timeText(Date.parse(line.time))}>
              {ageText(Date.parse(line.time), shownMs.value)}
            </time>
            <b>{line.user}</b>
            <span>{line.verb}</span>
            <span class="dim">{line.fieldManager}</span>
            {line.type !== 'deleted' && <AsYaml line={line} before={base ?? before} />}
            <button
              type="button"
              class="plain"
              aria-pressed={from.value === line.resourceVersion}
              onClick={() => (from.value = toggled(from.value, line.resourceVersion))}
            >
              {from.value === line.resourceVersion
                ? 'Compare with the one before'
                : 'Compare from here'}
            </button>
          </div>
          <WhatChanged line={line} before={base ?? before} isCompared={base !== undefined} />
        </li>
      ))}
    </ol>
  );
}

/** Leads to both revisions beside each other. */
function AsYaml({ line, before }: Omit<ChangedProps, 'isCompared'>) {
  if (before === undefined || before.type === 'deleted') return null;
  const query = { tab: 'yaml', with: String(before.resourceVersion) };
  return <a href={linkTo({ at: String(line.resourceVersion), query })}>YAML</a>;
}

function toggled(known: number | undefined, revision: number): number | undefined {
  return known === revision ? undefined : revision;
}

function isHere({ resourceVersion }: LogLine): boolean {
  return pageLocation.value.at === String(resourceVersion);
}

interface ChangedProps {
  readonly line: LogLine;
  readonly before: LogLine | undefined;
  readonly isCompared: boolean;
}

function WhatChanged({ line, before, isCompared }: ChangedProps) {
  const showsAll = useSignal(isCompared);
  if (line.type === 'deleted') return <p class="gone-text">deleted</p>;
  if (line.type === 'added' && !isCompared) {
    return <p class="dim">{before === undefined ? 'made' : 'made again'}</p>;
  }
  const changes = changedFields(before?.object, line.object);
  const shown = showsAll.value ? changes : changes.slice(0, CHANGES_SHOWN);
  return (
    <ul class="changes">
      {shown.map((change) => (
        <Change key={change.path} {...change} />
      ))}
      {changes.length === 0 && <li class="dim">no field differs</li>}
      {changes.length > shown.length && (
        <li>
          <button type="button" class="plain" onClick={() => (showsAll.value = true)}>
            {`${String(changes.length - shown.length)} more`}
          </button>
        </li>
      )}
    </ul>
  );
}

function Change({ path, before, after }: FieldChange) {
  return (
    <li class="mono">
      {path} {before !== undefined && <del>{before}</del>}{' '}
      {after !== undefined && <ins>{after}</ins>}
    </li>
  );
}
