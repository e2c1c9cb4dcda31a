/** What can be done with an object, as far as its kind knows it and the user may. */
import { dialog, said, type OpenDialog } from '../parts/dialog-state.ts';
import type { Kind } from '../state/discovery.ts';
import { askText, sendJson } from '../state/http.ts';
import { objectPath, type ObjectName } from '../state/page-location.ts';
import { isWritable, may } from '../state/rights.ts';
import { isRestarted, restartPatch } from './restart.ts';
import type { ShownObject } from './shown-object.ts';

interface ActionsProps {
  readonly kind: Kind;
  readonly of: ObjectName;
  readonly object: ShownObject;
}

type Question = Omit<Extract<OpenDialog, { kind: 'confirm' }>, 'kind'>;

export function Actions(props: ActionsProps) {
  if (!isWritable.value) return null;
  const questions = [scaling(props), restart(props), cordon(props), deletion(props)];
  return (
    <div class="tools">
      {questions
        .filter((one) => one !== undefined)
        .map((question) => (
          <button
            key={question.action}
            type="button"
            onClick={() => (dialog.value = { kind: 'confirm', ...question })}
          >
            {question.action}…
          </button>
        ))}
    </div>
  );
}

function scaling({ kind, of, object }: ActionsProps): Question | undefined {
  const scale = { group: of.group, resource: `${of.resource}/scale` };
  if (!kind.subresources.includes('scale') || !may('patch', scale)) return undefined;
  const now = object.spec?.replicas ?? 1;
  return {
    title: `Scale ${of.name}`,
    text: `It has ${String(now)} replicas now.`,
    action: 'Scale',
    input: { label: 'Replicas', value: String(now) },
    act: async (text) => {
      if (!/^\d{1,6}$/.test(text)) throw new Error('Enter a whole number.');
      await sendJson('PATCH', `${objectPath(of)}/scale`, { spec: { replicas: Number(text) } });
      said.value = `${of.name} is scaled to ${text}.`;
    },
  };
}

function restart({ of }: ActionsProps): Question | undefined {
  if (!isRestarted(of) || !may('patch', of)) return undefined;
  return {
    title: `Restart ${of.name}?`,
    text: 'Its pods are replaced one after another, as its strategy says.',
    action: 'Restart',
    act: async () => {
      await sendJson('PATCH', objectPath(of), restartPatch());
      said.value = `${of.name} restarts.`;
    },
  };
}

function cordon({ of, object }: ActionsProps): Question | undefined {
  if (of.group !== '' || of.resource !== 'nodes' || !may('patch', of)) return undefined;
  const isCordoned = object.spec?.unschedulable === true;
  return {
    title: isCordoned ? `Uncordon ${of.name}?` : `Cordon ${of.name}?`,
    text: isCordoned ? 'It takes new pods again.' : 'It takes no new pods; those that run stay.',
    action: isCordoned ? 'Uncordon' : 'Cordon',
    act: async () => {
      await sendJson('PATCH', objectPath(of), {
        spec: { unschedulable: isCordoned ? null : true },
      });
      said.value = `${of.name} is ${isCordoned ? 'uncordoned' : 'cordoned'}.`;
    },
  };
}

function deletion({ kind, of }: ActionsProps): Question | undefined {
  if (!may('delete', of)) return undefined;
  return {
    title: `Delete ${kind.kind} ${of.name}?`,
    text: 'What it owns is deleted with it. Its history stays.',
    action: 'Delete',
    act: async () => {
      await askText(objectPath(of), { method: 'DELETE' });
      said.value = `${of.name} is deleted.`;
    },
  };
}
