/** Every field of an object, and which user gave it its value, when. */
import { useComputed, useSignal } from '@preact/signals';
import type { LogLine } from '../../client/browser.ts';
import { ageText, timeText } from '../parts/format.ts';
import { shownMs } from '../state/clock.ts';
import { blamedFields } from '../state/fields.ts';
import type { Taken } from '../state/live.ts';
import { linkTo, pageLocation } from '../state/page-location.ts';
import type { ShownObject } from './shown-object.ts';

interface FieldsProps {
  /** Oldest first. */
  readonly history: Taken<readonly LogLine[]>;
  /** The state that is shown. */
  readonly object: ShownObject;
}

export function FieldsTab({ history, object }: FieldsProps) {
  const wanted = useSignal('');
  const until = Number(object.metadata.resourceVersion ?? '0');
  const lines = history.value.value;
  const known = (lines ?? []).filter(({ resourceVersion }) => resourceVersion <= until);
  const fields = blamedFields(known);
  const text = useComputed(() => wanted.value.toLowerCase());
  const shown = fields.filter(({ path, value, by }) =>
    `${path} ${value} ${by.user}`.toLowerCase().includes(text.value),
  );
  if (history.problem.value !== '') return <p class="problem">{history.problem.value}</p>;
  if (lines === undefined) return <p class="waiting">Loading…</p>;
  return (
    <>
      <div class="tools">
        <input
          id="row-filter"
          type="search"
          aria-label="Filter fields"
          placeholder="Filter: a field, a value, a user"
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <span class="dim">{`${String(shown.length)} of ${String(fields.length)} fields`}</span>
      </div>
      <table class="fields" aria-label="Fields">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
            <th scope="col">User</th>
            <th scope="col">Since</th>
            <th scope="col">Version</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ path, value, by }) => (
            <tr key={path}>
              <td class="mono" title={path}>
                {path}
              </td>
              <td class="mono value" title={value}>
                {value}
              </td>
              <td title={by.fieldManager}>{by.user}</td>
              <td title={timeText(Date.parse(by.time))}>
                {ageText(Date.parse(by.time), shownMs.value)}
              </td>
              <td>
                <a
                  href={linkTo({ at: String(by.resourceVersion), query: pageLocation.value.query })}
                >
                  {String(by.resourceVersion)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
