/** Asks for a token, where the browser has shown no client certificate. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { logIn } from '../state/begin.ts';
import { farewell } from '../state/session.ts';

export function Login() {
  return (
    <main class="login">
      <LoginForm />
    </main>
  );
}

/** In front of what a user has open whose token has run out, and of each dialog there. */
export function LoginDialog() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = element.current;
    shown?.showModal();
    // Closed, it gives the focus back.
    return () => {
      shown?.close();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="login"
      aria-labelledby="login"
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.preventDefault();
      }}
    >
      <LoginForm />
    </dialog>
  );
}

function LoginForm() {
  const text = useSignal('');
  const isBusy = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    isBusy.value = true;
    await logIn(text.value);
    isBusy.value = false;
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <h1 id="login">
        <Mark /> Everwatch
      </h1>
      <label for="token">Bearer token</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        ref={focus}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {farewell.value !== '' && <p role="alert">{farewell.value}</p>}
      <button class="primary" type="submit" disabled={isBusy.value}>
        Log in
      </button>
      <p class="hint">
        The token stays in this tab. A client certificate that the browser shows is taken without
        asking, and <code>everwatch dashboard</code> opens this page with the credentials of your
        kubeconfig file.
      </p>
      <p class="hint">
        <code>kubectl create token NAME -n NAMESPACE</code> makes a token of a service account.
      </p>
    </form>
  );
}

/** By script: a browser heeds `autofocus` when it loads the page, and not when a token has run out on it. */
function focus(field: HTMLElement | null): void {
  field?.focus();
}

/** The sign of the product: a clock whose hand points back. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" stroke-width="2.4" />
      <path
        d="M12 6.5V12l-4 2.6"
        fill="none"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
