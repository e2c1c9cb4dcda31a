/** An editor on the page, and two texts beside each other: what of the editor is loaded when it is shown. */
import { useEffect, useRef } from 'preact/hooks';
import type { MountedEditor } from './yaml-editor.ts';

type Module = typeof import('./yaml-editor.ts');

/** Loads the editor, mounts it, and takes it away with the component. */
function useEditor(key: string, mount: (module: Module, host: HTMLElement) => MountedEditor) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let mounted: MountedEditor | undefined;
    let isGone = false;
    void import('./yaml-editor.ts').then((module) => {
      if (isGone || host.current === null) return;
      mounted = mount(module, host.current);
      host.current.dataset['ready'] = 'true';
    });
    return () => {
      isGone = true;
      mounted?.remove();
    };
  }, [key]);
  return host;
}

interface EditorProps {
  /** Where editing begins. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** YAML that is edited. */
export function Editor({ text, onChange }: EditorProps) {
  const host = useEditor(text, (module, element) => module.mountEditor(element, text, onChange));
  return <div class="editor" ref={host} />;
}

interface DiffProps {
  readonly before: string;
  readonly after: string;
}

/** Two texts beside each other. */
export function Diff({ before, after }: DiffProps) {
  const key = JSON.stringify([before, after]);
  const host = useEditor(key, (module, element) => module.mountDiff(element, before, after));
  return <div class="editor" ref={host} />;
}
