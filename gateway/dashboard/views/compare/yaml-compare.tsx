/** One object at two moments, as YAML beside each other: the one that is shown, and another. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diff } from '../../editor/edit.tsx';
import { withoutManagedFields } from '../../editor/yaml-text.ts';
import { currentMs } from '../../state/clock.ts';
import { ApiProblem, askText, problemText } from '../../state/http.ts';
import {
  go,
  objectPath,
  pageLocation,
  prefixOf,
  type ObjectName,
} from '../../state/page-location.ts';
import { momentIn } from './row-changes.ts';

interface CompareProps {
  readonly of: ObjectName;
  /** Of the object that is shown; with another one it is asked for again. */
  readonly revision: string;
}

/** Goes to the comparison with a moment; `now` is one as well, and '' ends it. */
function compareWith(moment: string): void {
  go({ query: { ...pageLocation.value.query, with: moment } }, 'replace');
}

/** Where a moment is entered, above the YAML. */
export function CompareWith() {
  const problem = useSignal('');
  const moment = pageLocation.value.query['with'] ?? '';
  function take(text: string): void {
    const asked = /^(?:now)?$/.test(text.trim()) ? text.trim() : momentIn(text, currentMs());
    problem.value = asked === undefined ? 'Enter a version, a time, 2h, or now.' : '';
    if (asked !== undefined) compareWith(asked);
  }
  return (
    <div class="chosen-bar since">
      <label>
        Compare with{' '}
        <input
          id="compare-with"
          placeholder="a version, a time, or 2h"
          spellcheck={false}
          value={moment}
          onChange={(event) => take(event.currentTarget.value)}
        />
      </label>
      {problem.value !== '' && <span class="problem">{problem.value}</span>}
      {moment !== '' && (
        <button type="button" class="plain" onClick={() => compareWith('')}>
          Back to the YAML
        </button>
      )}
    </div>
  );
}

/** The moment that was entered is left; now is right. */
export function YamlCompare({ of, revision }: CompareProps) {
  const texts = useSignal<readonly [string, string] | undefined>(undefined);
  const problem = useSignal('');
  const { fork, at, query } = pageLocation.value;
  const other = query['with'] ?? '';
  const key = JSON.stringify([fork, at, other, objectPath(of), at === '' ? revision : '']);
  useEffect(() => {
    const [here, there] = [
      { fork, at },
      { fork, at: other === 'now' ? '' : other },
    ];
    let isOver = false;
    void Promise.all([yamlAt(of, here), yamlAt(of, there)]).then(
      ([shown, compared]) => {
        if (isOver) return;
        problem.value = '';
        texts.value = other === 'now' ? [shown, compared] : [compared, shown];
      },
      (error: unknown) => {
        if (!isOver) problem.value = problemText(error);
      },
    );
    return () => {
      isOver = true;
    };
  }, [key]);
  if (problem.value !== '') return <p class="problem">{problem.value}</p>;
  if (texts.value === undefined) return <p class="waiting">Loading…</p>;
  const [before, after] = texts.value;
  return (
    <>
      {before === after && <p role="status">Nothing differs.</p>}
      <Diff before={before} after={after} />
    </>
  );
}

/** '' where it does not exist then. */
async function yamlAt(of: ObjectName, moment: { fork: string; at: string }): Promise<string> {
  try {
    const accept = 'application/yaml';
    return withoutManagedFields(
      await askText(objectPath(of), { accept, prefix: prefixOf(moment) }),
    );
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 404) return '';
    throw error;
  }
}
