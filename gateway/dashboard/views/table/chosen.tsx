/** What can be done with several objects at once, and what came of it. */
import { dialog, said, type OpenDialog } from '../../parts/dialog-state.ts';
import type { Kind } from '../../state/discovery.ts';
import { askText, sendJson } from '../../state/http.ts';
import { objectPath, type ObjectName } from '../../state/page-location.ts';
import { may } from '../../state/rights.ts';
import { pluralOf } from '../navigation.tsx';
import { isRestarted, restartPatch } from '../restart.ts';
import { parseLabel, runOn, summaryOf } from './bulk.ts';

interface ChosenProps {
  readonly kind: Kind;
  readonly keys: ReadonlySet<string>;
  readonly onDone: () => void;
}

interface Action {
  /** On the button. */
  readonly title: string;
  /** `deleted`. */
  readonly past: string;
  readonly text: string;
  readonly input?: { readonly label: string; readonly value: string };
  /** What is sent for each; an error where the input makes no sense. */
  readonly act: (input: string) => (of: ObjectName) => Promise<unknown>;
}

const LISTED_MAX = 20;

export function Chosen({ kind, keys, onDone }: ChosenProps) {
  const nounOf = (count: number): string => (count === 1 ? kind.kind : pluralOf(kind));
  const names = [...keys].map((key) => key.replace(/^\//, ''));
  function ask({ title, past, text, input, act }: Action): void {
    const more = names.length > LISTED_MAX ? ` and ${String(names.length - LISTED_MAX)} more` : '';
    let report: OpenDialog | undefined;
    dialog.value = {
      kind: 'confirm',
      title: `${title} ${String(keys.size)} ${nounOf(keys.size)}?`,
      text: `${text} ${names.slice(0, LISTED_MAX).join(', ')}${more}`,
      action: title,
      ...(input === undefined ? {} : { input }),
      act: async (given) => {
        const one = act(given);
        const result = await runOn([...keys], (key) => one(objectOf(kind, key)));
        const summary = summaryOf(`${nounOf(result.done)} ${past}`, result);
        onDone();
        if (result.refused.length === 0) said.value = summary;
        else report = reportOf(summary, result.refused);
      },
      next: () => report,
    };
  }
  return (
    <div class="chosen-bar">
      <span>{`${String(keys.size)} ${nounOf(keys.size)} chosen`}</span>
      {actionsOf(kind).map((action) => (
        <button key={action.title} type="button" onClick={() => ask(action)}>
          {action.title}…
        </button>
      ))}
      <button type="button" class="plain" onClick={onDone}>
        Choose none
      </button>
    </div>
  );
}

function objectOf(kind: Kind, key: string): ObjectName {
  const [namespace = '', name = ''] = key.split('/', 2);
  const { group, version, resource } = kind;
  return { group, version, resource, namespace, name };
}

function reportOf(
  title: string,
  refused: readonly { readonly key: string; readonly why: string }[],
): OpenDialog {
  const lines = refused.map(({ key, why }) => ({ name: key.replace(/^\//, ''), text: why }));
  return { kind: 'report', title, lines };
}

/** What the kind knows and the user may. */
function actionsOf(kind: Kind): readonly Action[] {
  const isNode = kind.group === '' && kind.resource === 'nodes';
  const patches = may('patch', kind);
  return [
    ...(patches && isRestarted(kind) ? [RESTART] : []),
    ...(patches && isNode ? [cordon(true), cordon(false)] : []),
    ...(patches ? [LABEL] : []),
    ...(may('delete', kind) ? [DELETE] : []),
  ];
}

const RESTART: Action = {
  title: 'Restart',
  past: 'restarting',
  text: 'Their pods are replaced one after another, as their strategy says.',
  act: () => (of) => sendJson('PATCH', objectPath(of), restartPatch()),
};

const DELETE: Action = {
  title: 'Delete',
  past: 'deleted',
  text: 'What they own is deleted with them. Their history stays.',
  act: () => (of) => askText(objectPath(of), { method: 'DELETE' }),
};

const LABEL: Action = {
  title: 'Label',
  past: 'labelled',
  text: 'name=value sets a label, name- takes it away.',
  input: { label: 'Label', value: '' },
  act: (input) => {
    const labels = parseLabel(input);
    if (labels === undefined) throw new Error('Enter name=value, or name- to take it away.');
    return (of) => sendJson('PATCH', objectPath(of), { metadata: { labels } });
  },
};

function cordon(isCordoned: boolean): Action {
  return {
    title: isCordoned ? 'Cordon' : 'Uncordon',
    past: isCordoned ? 'cordoned' : 'uncordoned',
    text: isCordoned ? 'They take no new pods; those that run stay.' : 'They take new pods again.',
    act: () => (of) =>
      sendJson('PATCH', objectPath(of), { spec: { unschedulable: isCordoned ? true : null } }),
  };
}
