/** What the page says beside its views: the fork and the moment, a lost connection, and dialogs. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { timer } from 'rxjs';
import { problemText } from '../state/http.ts';
import { connection, timeProblem } from '../state/live.ts';
import { go, pageLocation } from '../state/page-location.ts';
import { isCut, oldestShown } from '../time/extent.ts';
import { dialog, said, type OpenDialog } from './dialog-state.ts';
import { KEYS } from './keys.ts';
import { Origin } from './origin.tsx';

const SAID_FOR_MS = 6_000;

/** Above the view. */
export function Banner() {
  const state = connection.value;
  const { fork } = pageLocation.value;
  return (
    <div class="banners" aria-live="polite">
      <Origin />
      {fork !== '' && (
        <p class="banner">
          <span>
            This is the fork <b>{fork}</b>. What is written here is seen nowhere else.
          </span>
          <button type="button" class="plain" onClick={() => go({ fork: '', at: '' })}>
            Leave the fork
          </button>
        </p>
      )}
      {state?.kind === 'waiting' && state.failures > 1 && (
        <p class="banner bad">
          The connection is lost. What is shown is what was seen last; the page tries again.
        </p>
      )}
      {isCut.value && <Cut />}
      {timeProblem.value !== '' && <p class="banner bad">{timeProblem.value}</p>}
      <Said />
    </div>
  );
}

/** The moment is gone for good, so it says where else to go. */
function Cut() {
  const oldest = oldestShown.value;
  return (
    <p class="banner bad">
      <span>The log does not reach back to this moment any more.</span>
      {oldest > 0 && (
        <button type="button" class="plain" onClick={() => go({ at: String(oldest) })}>
          Show the oldest
        </button>
      )}
      <button type="button" class="plain" onClick={() => go({ at: '' })}>
        Back to now
      </button>
    </p>
  );
}

function Said() {
  const text = said.value;
  useEffect(() => {
    if (text === '') return undefined;
    const ending = timer(SAID_FOR_MS).subscribe(() => (said.value = ''));
    return () => {
      ending.unsubscribe();
    };
  }, [text]);
  return text === '' ? null : <p class="said">{text}</p>;
}

/** The dialog that is open, if one is. */
export function Dialogs() {
  const open = dialog.value;
  if (open === undefined) return null;
  if (open.kind === 'help') return <Help />;
  return open.kind === 'report' ? <Report {...open} /> : <Confirm {...open} />;
}

function close(): void {
  dialog.value = undefined;
}

function Modal({ title, children }: { title: string; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

function Help() {
  return (
    <Modal title="Keys">
      <dl class="keys">
        {KEYS.map(({ key, what }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="actions">
        <button type="submit">Close</button>
      </form>
    </Modal>
  );
}

function Report({ title, lines }: Extract<OpenDialog, { kind: 'report' }>) {
  return (
    <Modal title={title}>
      <ul class="refusals">
        {lines.map(({ name, text }) => (
          <li key={name}>
            <b>{name}</b> <span class="problem">{text}</span>
          </li>
        ))}
      </ul>
      <form method="dialog" class="actions">
        <button type="submit">Close</button>
      </form>
    </Modal>
  );
}

function Confirm({
  title,
  text,
  action,
  input,
  act,
  next,
}: Extract<OpenDialog, { kind: 'confirm' }>) {
  const problem = useSignal('');
  const value = useSignal(input?.value ?? '');
  const isBusy = useSignal(false);
  async function agree(event: Event): Promise<void> {
    event.preventDefault();
    isBusy.value = true;
    try {
      await act(value.value);
      dialog.value = next?.();
    } catch (error) {
      problem.value = problemText(error);
    }
    isBusy.value = false;
  }
  return (
    <Modal title={title}>
      <form onSubmit={(event) => void agree(event)}>
        <p>{text}</p>
        {input !== undefined && (
          <label class="field">
            {input.label}
            <input
              value={value.value}
              autofocus
              onInput={(event) => (value.value = event.currentTarget.value)}
            />
          </label>
        )}
        {problem.value !== '' && (
          <p role="alert" class="problem">
            {problem.value}
          </p>
        )}
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {action}
          </button>
        </div>
      </form>
    </Modal>
  );
}
