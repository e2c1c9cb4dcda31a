/**
 * YAML on its way to the server: edited, judged there by a dry run, shown beside what is there now, and
 * written when the user agrees.
 */
import { useSignal } from '@preact/signals';
import { Diff, Editor } from '../editor/edit.tsx';
import { withoutManagedFields } from '../editor/yaml-text.ts';
import { askText, problemText } from '../state/http.ts';

/** What is applied, and how. */
export interface ApplyProps {
  /** Where editing begins. */
  readonly text: string;
  /** PUT to an object, POST to a collection. */
  readonly method: 'PUT' | 'POST';
  /** Where to; the text may say more than was known before. */
  readonly path: string;
  /** What is there now; '' for nothing. */
  readonly before: string;
  /** The user may write it. */
  readonly isAllowed: boolean;
  /** It is written. */
  readonly onDone: () => void;
}

const YAML = 'application/yaml';

export function Apply({ text, method, path, before, isAllowed, onDone }: ApplyProps) {
  const edited = useSignal(text);
  const judged = useSignal<string | undefined>(undefined);
  const problem = useSignal('');
  const isBusy = useSignal(false);
  async function send(query: string): Promise<string | undefined> {
    isBusy.value = true;
    problem.value = '';
    try {
      const body = { type: YAML, text: edited.value };
      return await askText(`${path}${query}`, { method, accept: YAML, body });
    } catch (error) {
      problem.value = problemText(error);
      return undefined;
    } finally {
      isBusy.value = false;
    }
  }
  async function review(): Promise<void> {
    const result = await send('?dryRun=All&fieldValidation=Strict');
    if (result !== undefined) judged.value = withoutManagedFields(result);
  }
  async function write(): Promise<void> {
    if ((await send('?fieldValidation=Strict')) !== undefined) onDone();
  }
  const isSame = judged.value === before;
  return (
    <div class="apply">
      {judged.value === undefined ? (
        <Editor text={text} onChange={(next) => (edited.value = next)} />
      ) : (
        <Diff before={before} after={judged.value} />
      )}
      {problem.value !== '' && (
        <p role="alert" class="problem">
          {problem.value}
        </p>
      )}
      {isAllowed && (
        <Steps
          step={judged.value === undefined ? 'edit' : isSame ? 'nothing' : 'write'}
          isBusy={isBusy.value}
          onReview={() => void review()}
          onEdit={() => (judged.value = undefined)}
          onWrite={() => void write()}
        />
      )}
    </div>
  );
}

interface StepsProps {
  /** What may come next; `nothing`: the server would change nothing. */
  readonly step: 'edit' | 'nothing' | 'write';
  readonly isBusy: boolean;
  readonly onReview: () => void;
  readonly onEdit: () => void;
  readonly onWrite: () => void;
}

function Steps({ step, isBusy, onReview, onEdit, onWrite }: StepsProps) {
  if (step === 'edit') {
    return (
      <div class="actions">
        <button type="button" class="primary" disabled={isBusy} onClick={onReview}>
          Review the change
        </button>
      </div>
    );
  }
  const isSame = step === 'nothing';
  return (
    <div class="actions">
      <span class="dim">
        {isSame
          ? 'The server would change nothing.'
          : 'This is what the server would store. Left, what is there now.'}
      </span>
      <button type="button" onClick={onEdit}>
        Edit on
      </button>
      <button type="button" class="primary" disabled={isBusy || isSame} onClick={onWrite}>
        Write it
      </button>
    </div>
  );
}
