/** A terminal in a container of a pod, over a WebSocket as `kubectl exec -it` has it. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { objectPath, type ObjectName } from '../../state/page-location.ts';
import { go, pageLocation } from '../../state/page-location.ts';
import { token } from '../../state/session.ts';
import type { MountedTerminal } from '../../terminal/mounted-terminal.ts';
import { ContainerChoice } from './container-choice.tsx';
import { containersOf, defaultContainer } from './containers.ts';
import { EXEC_PROTOCOL, heard, resized, typed, wordsOf } from './exec-channels.ts';

interface TerminalProps {
  readonly of: ObjectName;
  readonly pod: Pod;
}

/** bash where there is one, else sh. */
const SHELL = ['sh', '-c', 'command -v bash >/dev/null 2>&1 && exec bash || exec sh'];

/** What is open: nothing, one command in one container, or what is left of it. */
type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly path: string; readonly turn: number }
  | { readonly kind: 'ended'; readonly path: string; readonly turn: number; readonly text: string };

export function TerminalTab({ of, pod }: TerminalProps) {
  const container = pageLocation.value.query['container'] ?? defaultContainer(pod);
  const command = useSignal('');
  const state = useSignal<State>({ kind: 'closed' });
  const isRunning = containersOf(pod).some((one) => one.name === container && one.isRunning);
  function connect(event: Event): void {
    event.preventDefault();
    const words = command.value.trim() === '' ? SHELL : wordsOf(command.value);
    const search = new URLSearchParams({ container, stdin: 'true', stdout: 'true', tty: 'true' });
    for (const word of words) search.append('command', word);
    const turn = state.value.kind === 'closed' ? 0 : state.value.turn + 1;
    state.value = { kind: 'open', path: `${objectPath(of)}/exec?${search.toString()}`, turn };
  }
  const { kind } = state.value;
  return (
    <>
      <form class="tools" onSubmit={connect}>
        <ContainerChoice
          pod={pod}
          value={container}
          onChange={(one) =>
            go({ query: { ...pageLocation.value.query, container: one } }, 'replace')
          }
        />
        <input
          aria-label="Command"
          placeholder="Command: bash or sh"
          spellcheck={false}
          value={command.value}
          onInput={(event) => (command.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary" id="terminal-connect" disabled={!isRunning}>
          {kind === 'closed' ? 'Connect' : 'Connect again'}
        </button>
        {kind === 'open' && (
          <button type="button" onClick={() => (state.value = { kind: 'closed' })}>
            Disconnect
          </button>
        )}
      </form>
      {!isRunning && <p class="nothing">This container does not run, so nothing can run in it.</p>}
      {kind === 'closed' ? (
        isRunning && (
          <p class="nothing">
            Runs a command in the container, with your rights. What is typed there is in no log of
            the server; that it was opened is in the audit log.
          </p>
        )
      ) : (
        <Session key={state.value.turn} path={state.value.path} state={state} />
      )}
      <p class="dim log-state" role="status">
        {kind === 'ended' && state.value.text}
        {kind === 'open' && 'Shift+Escape leaves the terminal.'}
      </p>
    </>
  );
}

interface SessionProps {
  readonly path: string;
  readonly state: Signal<State>;
}

function Session({ path, state }: SessionProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const end = new AbortController();
    void import('../../terminal/mounted-terminal.ts').then(({ mountTerminal }) => {
      if (end.signal.aborted || host.current === null) return;
      const socket = openExec(path);
      const terminal = mountTerminal(host.current, {
        typed: (text) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(typed(text));
        },
        resized: (columns, rows) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(resized(columns, rows));
        },
        left: () => document.querySelector<HTMLElement>('#terminal-connect')?.focus(),
      });
      join(socket, terminal, (text) => {
        if (end.signal.aborted || state.value.kind !== 'open') return;
        state.value = { ...state.value, kind: 'ended', text };
      });
      host.current.dataset['ready'] = 'true';
      end.signal.addEventListener('abort', () => {
        socket.close();
        terminal.remove();
      });
    });
    return () => {
      end.abort();
    };
  }, []);
  return <div class="terminal" ref={host} />;
}

/** Shows what comes until the socket ends, and then says why it did, once. */
function join(socket: WebSocket, terminal: MountedTerminal, ended: (text: string) => void): void {
  let last = '';
  socket.onopen = () => {
    const { columns, rows } = terminal.size();
    socket.send(resized(columns, rows));
    terminal.focus();
    last = 'The connection is closed.';
  };
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    const message = heard(data);
    if (message.kind === 'output') terminal.write(message.bytes);
    if (message.kind === 'end') last = message.text;
  };
  socket.onclose = () => {
    ended(last === '' ? 'The server or the node refused the connection.' : last);
  };
}

const BEARER = 'base64url.bearer.authorization.k8s.io.';

/** Browsers cannot set headers of a WebSocket, so the token is a protocol that the server takes out. */
function openExec(path: string): WebSocket {
  const bearer = globalThis
    .btoa(token.value)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  const protocols = token.value === '' ? [EXEC_PROTOCOL] : [EXEC_PROTOCOL, `${BEARER}${bearer}`];
  const origin = globalThis.location.origin.replace(/^http/, 'ws');
  const socket = new WebSocket(`${origin}${path}`, protocols);
  socket.binaryType = 'arraybuffer';
  return socket;
}
