/**
 * One object on both sides, and its way back: server-side apply as a dry run first, whose result is shown
 * beside what is there now, and then for good.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diff } from '../../editor/edit.tsx';
import { withoutServerFields } from '../../editor/yaml-text.ts';
import { dialog, said } from '../../parts/dialog-state.ts';
import { findKind } from '../../state/discovery.ts';
import { ApiProblem, askJson, askText, problemText } from '../../state/http.ts';
import { objectPath, type ObjectName } from '../../state/place.ts';
import { may } from '../../state/rights.ts';
import { appliedForm, type ForkedObject } from './fork-changes.ts';

interface ForkObjectProps {
  readonly fork: string;
  readonly of: ForkedObject;
}

const YAML = 'application/yaml';
const APPLY = 'application/apply-patch+yaml';
const NOT_FOUND = 404;
const CONFLICT = 409;

/** The YAML of both sides; '' where it is not there. */
interface Texts {
  readonly outside: string;
  readonly inFork: string;
}

export function ForkObject({ fork, of }: ForkObjectProps) {
  const texts = useSignal<Texts | undefined>(undefined);
  const judged = useSignal<string | undefined>(undefined);
  const problem = useSignal('');
  const conflicts = useSignal(false);
  const forces = useSignal(false);
  const [group = '', resource = ''] = of.resource.split('/', 2);
  const kind = findKind({ group: group === 'core' ? '' : group, resource });
  const prefix = `/forks/${encodeURIComponent(fork)}`;
  const { namespace, name } = of;
  const object: ObjectName | undefined = kind && {
    ...{ group: kind.group, version: kind.version, resource, namespace, name },
  };
  const path = object === undefined ? '' : objectPath(object);
  async function trying(act: () => Promise<void>): Promise<void> {
    problem.value = '';
    try {
      await act();
    } catch (error) {
      problem.value = problemText(error);
      conflicts.value = error instanceof ApiProblem && error.code === CONFLICT;
    }
  }
  const load = (): Promise<void> =>
    trying(async () => {
      const [outside, inFork] = await Promise.all([yamlOf('', path), yamlOf(prefix, path)]);
      texts.value = { outside, inFork };
    });
  useEffect(() => void load(), [path]);
  async function apply(query: string): Promise<string> {
    const theirs = await askJson<Record<string, unknown>>(path, { prefix });
    const body = { type: APPLY, text: JSON.stringify(appliedForm(theirs)) };
    const force = forces.value ? '&force=true' : '';
    const search = `fieldManager=everwatch-fork${force}${query}`;
    return askText(`${path}?${search}`, { method: 'PATCH', accept: YAML, body, prefix: '' });
  }
  const review = (): Promise<void> =>
    trying(async () => {
      judged.value = withoutServerFields(await apply('&dryRun=All'));
    });
  const write = (): Promise<void> =>
    trying(async () => {
      await apply('');
      judged.value = undefined;
      said.value = `${name} is applied outside of the fork.`;
      await load();
    });
  if (kind === undefined) return <p class="nothing">The server does not know its kind any more.</p>;
  if (texts.value === undefined) {
    return problem.value === '' ? (
      <p class="waiting">Loading…</p>
    ) : (
      <p class="problem">{problem.value}</p>
    );
  }
  const { outside, inFork } = texts.value;
  const isTried = judged.value !== undefined;
  return (
    <div class="apply both">
      <div class="heads">
        <h3>Now</h3>
        <h3>{isTried ? 'Now, behind the change' : `In ${fork}`}</h3>
      </div>
      <Diff before={outside} after={judged.value ?? inFork} />
      {problem.value !== '' && (
        <p role="alert" class="problem">
          {problem.value}
        </p>
      )}
      <div class="actions">
        {conflicts.value && (
          <label class="check">
            <input
              type="checkbox"
              checked={forces.value}
              onChange={(event) => (forces.value = event.currentTarget.checked)}
            />
            Take over the fields of other managers
          </label>
        )}
        {inFork === '' && outside !== '' && may('delete', kind) && (
          <button type="button" onClick={() => askToDelete(path, name, () => void load())}>
            Delete it outside, too…
          </button>
        )}
        {inFork !== '' && may('patch', kind) && !isTried && (
          <button type="button" class="primary" onClick={() => void review()}>
            Try it outside of the fork
          </button>
        )}
        {isTried && (
          <>
            <span class="dim">
              {judged.value === outside
                ? 'The server would change nothing.'
                : 'Nothing is written yet: this is what the server would store.'}
            </span>
            <button type="button" onClick={() => (judged.value = undefined)}>
              Back
            </button>
            <button
              type="button"
              class="primary"
              disabled={judged.value === outside}
              onClick={() => void write()}
            >
              Apply it
            </button>
          </>
        )}
      </div>
    </div>
  );
}

async function yamlOf(prefix: string, path: string): Promise<string> {
  try {
    return withoutServerFields(await askText(path, { accept: YAML, prefix }));
  } catch (error) {
    if (error instanceof ApiProblem && error.code === NOT_FOUND) return '';
    throw error;
  }
}

function askToDelete(path: string, name: string, onDone: () => void): void {
  dialog.value = {
    kind: 'confirm',
    title: `Delete ${name} outside of the fork?`,
    text: 'It is deleted in the fork already. What it owns is deleted with it; its history stays.',
    action: 'Delete',
    act: async () => {
      await askText(path, { method: 'DELETE', prefix: '' });
      said.value = `${name} is deleted.`;
      onDone();
    },
  };
}
