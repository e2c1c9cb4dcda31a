/**
 * One object on both sides, and its way back: server-side apply as a dry run first, whose result is shown
 * beside what is there now, and then for good.
 */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Diff } from '../../editor/edit.tsx';
import { withoutServerFields } from '../../editor/yaml-text.ts';
import { dialog, said } from '../../parts/dialog-state.ts';
import { findKind } from '../../state/discovery.ts';
import { ApiProblem, askJson, askText, problemText } from '../../state/http.ts';
import { objectPath } from '../../state/page-location.ts';
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

/** Both texts of an object, and what was tried and written of it. */
interface Return {
  /** undefined until both have come. */
  readonly texts: Texts | undefined;
  /** What the server would store; undefined where nothing was tried. */
  readonly judged: string | undefined;
  readonly problem: string;
  /** Other managers have fields of it; `forces` takes them over. */
  readonly conflicts: boolean;
  readonly forces: Signal<boolean>;
  readonly load: () => void;
  readonly review: () => void;
  readonly write: () => void;
  readonly back: () => void;
}

function useReturn(prefix: string, path: string, name: string): Return {
  const texts = useSignal<Texts | undefined>(undefined);
  const judged = useSignal<string | undefined>(undefined);
  const problem = useSignal('');
  const conflicts = useSignal(false);
  const forces = useSignal(false);
  async function trying(act: () => Promise<void>): Promise<void> {
    problem.value = '';
    try {
      await act();
    } catch (error) {
      problem.value = problemText(error);
      conflicts.value = error instanceof ApiProblem && error.code === CONFLICT;
    }
  }
  async function load(): Promise<void> {
    const [outside, inFork] = await Promise.all([yamlOf('', path), yamlOf(prefix, path)]);
    texts.value = { outside, inFork };
  }
  async function apply(query: string): Promise<string> {
    const theirs = await askJson<Record<string, unknown>>(path, { prefix });
    const body = { type: APPLY, text: JSON.stringify(appliedForm(theirs)) };
    const force = forces.value ? '&force=true' : '';
    const search = `fieldManager=everwatch-fork${force}${query}`;
    return askText(`${path}?${search}`, { method: 'PATCH', accept: YAML, body, prefix: '' });
  }
  async function review(): Promise<void> {
    judged.value = withoutServerFields(await apply('&dryRun=All'));
  }
  async function write(): Promise<void> {
    await apply('');
    judged.value = undefined;
    said.value = `${name} is applied outside of the fork.`;
    await load();
  }
  useEffect(() => void trying(load), [path]);
  return {
    ...{ texts: texts.value, judged: judged.value, problem: problem.value, forces },
    conflicts: conflicts.value,
    load: () => void trying(load),
    review: () => void trying(review),
    write: () => void trying(write),
    back: () => (judged.value = undefined),
  };
}

export function ForkObject({ fork, of }: ForkObjectProps) {
  const { namespace, name } = of;
  const [group = '', resource = ''] = of.resource.split('/', 2);
  const kind = findKind({ group: group === 'core' ? '' : group, resource });
  const path = kind === undefined ? '' : objectPath({ ...kind, namespace, name });
  const way = useReturn(`/forks/${encodeURIComponent(fork)}`, path, name);
  if (kind === undefined) return <p class="nothing">The server does not know its kind any more.</p>;
  if (way.texts === undefined) {
    if (way.problem === '') return <p class="waiting">Loading…</p>;
    return <p class="problem">{way.problem}</p>;
  }
  const { outside, inFork } = way.texts;
  return (
    <div class="apply both">
      <div class="heads">
        <h3>Now</h3>
        <h3>{way.judged === undefined ? `In ${fork}` : 'Now, behind the change'}</h3>
      </div>
      <Diff before={outside} after={way.judged ?? inFork} />
      {way.problem !== '' && (
        <p role="alert" class="problem">
          {way.problem}
        </p>
      )}
      <div class="actions">
        {way.conflicts && <Force value={way.forces} />}
        {inFork === '' && outside !== '' && may('delete', kind) && (
          <button type="button" onClick={() => askToDelete(path, name, way.load)}>
            Delete it outside, too…
          </button>
        )}
        {inFork !== '' && may('patch', kind) && <Steps way={way} outside={outside} />}
      </div>
    </div>
  );
}

function Force({ value }: { readonly value: Signal<boolean> }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value.value}
        onChange={(event) => (value.value = event.currentTarget.checked)}
      />
      Take over the fields of other managers
    </label>
  );
}

function Steps({ way, outside }: { readonly way: Return; readonly outside: string }) {
  if (way.judged === undefined) {
    return (
      <button type="button" class="primary" onClick={way.review}>
        Try it outside of the fork
      </button>
    );
  }
  const isSame = way.judged === outside;
  return (
    <>
      <span class="dim">
        {isSame
          ? 'The server would change nothing.'
          : 'Nothing is written yet: this is what the server would store.'}
      </span>
      <button type="button" onClick={way.back}>
        Back
      </button>
      <button type="button" class="primary" disabled={isSame} onClick={way.write}>
        Apply it
      </button>
    </>
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
