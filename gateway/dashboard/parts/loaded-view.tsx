/** A view whose script is loaded when it is first shown, so that the first screen does not wait for it. */
import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';

/** A component that shows the loaded one as soon as it is there. @param load is called again where it failed. */
export function loadedView<Props extends object>(load: () => Promise<FunctionComponent<Props>>) {
  const loaded = signal<FunctionComponent<Props> | undefined>(undefined);
  return (props: Props) => {
    useEffect(() => {
      if (loaded.value !== undefined) return;
      void load().then((view) => {
        loaded.value = view;
      });
    }, []);
    const View = loaded.value;
    return View === undefined ? <p class="nothing">Loading…</p> : <View {...props} />;
  };
}
