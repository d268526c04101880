import { Button } from '../../components/Button';
import { FormLine } from '../../components/Field';
import { useText } from '../../text/language';
import { chooseTokenizer, useTokenizer } from './tokenizer';

/** Whose template and tokens the rows are shown with: a folder that a person has, nothing is downloaded. */
export function TokenizerLine() {
  const words = useText();
  const text = words.tokens;
  const { value, failure } = useTokenizer();
  const facts =
    value === null
      ? undefined
      : text.tokenizerFacts(words.common.format.count(value.vocabulary), value.family, value.argumentsForm);
  return (
    <FormLine label={text.tokenizer} help={facts} error={failure === null ? null : failure.message}>
      {({ id, describedBy }) => (
        <span className="tokenizer-line">
          <span className={`cut ${value === null ? 'quiet' : ''}`} title={value?.folder}>
            {value?.name ?? text.noneChosen}
          </span>
          <Button
            id={id}
            aria-describedby={describedBy}
            small
            onClick={chooseTokenizer}
            data-testid="tokenizer"
          >
            {value === null ? text.choose : text.change}
          </Button>
        </span>
      )}
    </FormLine>
  );
}
