import { useId, useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { CheckLine, TextField } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';
import { answerPrompt } from './host-prompts';
import { hostName, SheetHost, type SheetProps, SheetQueue } from './SheetParts';

interface Field {
  label: string;
  echo: boolean;
}

/** Password, passphrase, or one round of questions. What is typed lives in this component and nowhere else. */
export function SecretSheet({ prompt, total }: SheetProps) {
  const words = useText();
  const text = words.hostPrompts;
  const id = useId();
  const fields = useFields(prompt);
  const [typed, setTyped] = useState<readonly string[]>(() => fields.map(() => ''));
  const [shown, setShown] = useState(false);
  const hidden = fields.some((field) => !field.echo);
  const title =
    prompt.kind === 'password'
      ? text.passwordTitle(hostName(prompt))
      : prompt.kind === 'passphrase'
        ? text.passphraseTitle
        : text.keyboardTitle(hostName(prompt));
  const decline = () => answerPrompt(prompt.id, null);
  const send = () => answerPrompt(prompt.id, { texts: [...typed] });
  const verb =
    prompt.kind === 'password'
      ? text.login
      : prompt.kind === 'passphrase'
        ? text.unlock
        : fields.length === 0
          ? text.goOn
          : text.send;
  return (
    <Dialog
      title={title}
      closeLabel={words.common.cancel}
      onClose={decline}
      width="small"
      head={<SheetQueue total={total} />}
      foot={
        <>
          <span className="space" />
          <Button onClick={decline}>{words.common.cancel}</Button>
          <Button
            look="primary"
            type="submit"
            form={id}
            {...(fields.length === 0 ? { 'data-autofocus': true } : {})}
          >
            {verb}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="sheet"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <SheetHost prompt={prompt} />
        {prompt.attempt > 1 && prompt.kind !== 'keyboard' && (
          <p className="sheet-refused">
            <Icon name="warning" className="tone-attention" />
            <span>{text.attempt(prompt.attempt)}</span>
          </p>
        )}
        {prompt.kind === 'keyboard' && <HostSays prompt={prompt} />}
        {fields.map((field, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a round have no other identity and never change
          <div key={index} className="sheet-field">
            <label htmlFor={`${id}-${index}`}>{field.label}</label>
            <TextField
              id={`${id}-${index}`}
              className="mono"
              type={field.echo || shown ? 'text' : 'password'}
              autoComplete="off"
              autoCapitalize="off"
              maxLength={4096}
              {...(index === 0 ? { 'data-autofocus': true } : {})}
              value={typed[index] ?? ''}
              onChange={(event) =>
                setTyped(typed.map((before, at) => (at === index ? event.target.value : before)))
              }
            />
          </div>
        ))}
        {hidden && <CheckLine checked={shown} onChange={setShown} label={text.show} />}
        <p className="quiet text-12">
          {prompt.kind === 'password'
            ? text.passwordText
            : prompt.kind === 'passphrase'
              ? text.passphraseText(prompt.alias)
              : text.keyboardFoot}
        </p>
      </form>
    </Dialog>
  );
}

function useFields(prompt: SheetProps['prompt']): Field[] {
  const text = useText().hostPrompts;
  if (prompt.kind === 'password') return [{ label: text.password(prompt.target), echo: false }];
  if (prompt.kind === 'passphrase') return [{ label: text.passphrase(prompt.text), echo: false }];
  return prompt.fields.map(({ prompt: label, echo }, index) => ({
    label: label === '' ? text.field(index + 1) : label,
    echo,
  }));
}

/** The host's own words, marked as such: they are not ours. */
function HostSays({ prompt }: { prompt: SheetProps['prompt'] }) {
  const text = useText().hostPrompts;
  const said = [prompt.title, prompt.text].filter((part) => part !== '').join('\n');
  return (
    <div className="sheet-said">
      <p className="quiet text-12">
        {text.keyboardText(prompt.target)}
        {prompt.attempt > 1 && <span className="chip">{text.keyboardRound(prompt.attempt)}</span>}
      </p>
      {said === '' ? <p className="quiet text-12">{text.keyboardNoText}</p> : <blockquote>{said}</blockquote>}
    </div>
  );
}
