/** The YAML of an object: read, compared with that of another moment, and changed where the user may. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { withoutManagedFields } from '../editor/yaml-text.ts';
import { said } from '../parts/dialog-state.ts';
import { askText, problemText } from '../state/http.ts';
import { objectPath, pageLocation, type ObjectName } from '../state/page-location.ts';
import { isWritable, may } from '../state/rights.ts';
import { Apply } from './apply.tsx';
import { CompareWith, YamlCompare } from './compare/yaml-compare.tsx';
import type { ShownObject } from './shown-object.ts';

interface YamlProps {
  readonly of: ObjectName;
  readonly object: ShownObject;
}

export function YamlTab({ of, object }: YamlProps) {
  const isCompared = (pageLocation.value.query['with'] ?? '') !== '';
  return (
    <>
      <CompareWith />
      {isCompared ? (
        <YamlCompare of={of} revision={object.metadata.resourceVersion ?? ''} />
      ) : (
        <Edited of={of} object={object} />
      )}
    </>
  );
}

function Edited({ of, object }: YamlProps) {
  const text = useSignal<string | undefined>(undefined);
  const problem = useSignal('');
  const newest = object.metadata.resourceVersion ?? '';
  const shown = useSignal('');
  async function load(): Promise<void> {
    try {
      const yaml = await askText(objectPath(of), { accept: 'application/yaml' });
      text.value = withoutManagedFields(yaml);
      shown.value = newest;
    } catch (error) {
      problem.value = problemText(error);
    }
  }
  // What is being edited is not taken away by a change of the object; the past has no edits.
  const key = `${objectPath(of)} ${pageLocation.value.at} ${isWritable.value ? '' : newest}`;
  useEffect(() => {
    void load();
  }, [key]);
  if (problem.value !== '') return <p class="problem">{problem.value}</p>;
  if (text.value === undefined) return <p class="waiting">Loading…</p>;
  const isOld = isWritable.value && shown.value !== newest;
  return (
    <>
      {isOld && (
        <p class="banner">
          <span>The object has changed since this text was loaded.</span>
          <button type="button" class="plain" onClick={() => void load()}>
            Load it again
          </button>
        </p>
      )}
      <Apply
        key={`${key} ${shown.value}`}
        text={text.value}
        before={text.value}
        method="PUT"
        path={objectPath(of)}
        isAllowed={isWritable.value && may('update', of)}
        onDone={() => {
          said.value = 'It is written.';
          void load();
        }}
      />
    </>
  );
}
