/** A new object of a kind, from YAML. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { said } from '../parts/dialog-state.ts';
import type { Kind } from '../state/discovery.ts';
import { kindPath } from '../state/page-location.ts';
import { Apply } from './apply.tsx';

interface NewObjectProps {
  readonly kind: Kind;
  /** '' where all are shown. */
  readonly namespace: string;
}

export function NewObject({ kind, namespace }: NewObjectProps) {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" onClick={() => (isOpen.value = true)}>
        New…
      </button>
      {isOpen.value && (
        <NewDialog kind={kind} namespace={namespace} onClose={() => (isOpen.value = false)} />
      )}
    </>
  );
}

function NewDialog({
  kind,
  namespace,
  onClose,
}: NewObjectProps & { readonly onClose: () => void }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const within = kind.isNamespaced ? namespace || 'default' : '';
  return (
    <dialog ref={element} class="wide" aria-labelledby="new-title" onClose={onClose}>
      <h2 id="new-title">
        New {kind.kind}
        {within === '' ? '' : ` in ${within}`}
      </h2>
      <Apply
        text={outlineOf(kind, within)}
        method="POST"
        path={kindPath(kind, within)}
        before=""
        isAllowed
        onDone={() => {
          said.value = `The ${kind.kind} is made.`;
          element.current?.close();
        }}
      />
      <form method="dialog" class="actions">
        <button type="submit">Cancel</button>
      </form>
    </dialog>
  );
}

function outlineOf({ group, version, kind }: Kind, namespace: string): string {
  return [
    `apiVersion: ${group === '' ? version : `${group}/${version}`}`,
    `kind: ${kind}`,
    'metadata:',
    '  name: ',
    ...(namespace === '' ? [] : [`  namespace: ${namespace}`]),
    '',
  ].join('\n');
}
