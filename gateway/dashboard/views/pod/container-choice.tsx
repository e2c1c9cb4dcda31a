/** Which container of a pod is meant. */
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { containersOf } from './containers.ts';

interface ChoiceProps {
  readonly pod: Pod;
  readonly value: string;
  readonly onChange: (container: string) => void;
}

export function ContainerChoice({ pod, value, onChange }: ChoiceProps) {
  return (
    <select
      aria-label="Container"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {containersOf(pod).map(({ name, sort }) => (
        <option key={name} value={name}>
          {sort === 'main' ? name : `${name} (${sort})`}
        </option>
      ))}
    </select>
  );
}
