import type { Compression, ExportOptions, Redaction } from '@shared/contract/export-request';
import { compressions, redactions } from '@shared/contract/export-request';
import { targetFacts } from '@shared/contract/export-targets';
import type { ReactNode } from 'react';
import { Button } from '../../components/Button';
import { CheckLine, FormLine, Select } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';
import { TokenizerLine } from '../tokens/TokenizerLine';
import { ExportFoot } from './ExportFoot';
import { changeDraft, reasoningOf, useExport } from './export-state';
import { FilterLines } from './FilterLines';
import { RunsChoice } from './RunsChoice';
import { SmallField } from './SmallField';
import type { Preview } from './use-preview';
import { VariantList } from './VariantList';

export interface ExportSettingsProps {
  head: ReactNode;
  run: string | null;
  preview: Preview;
}

/** Everything that decides what is written, from the top: what is taken, for whom, how it is masked, how it is stored. */
export function ExportSettings({ head, run, preview }: ExportSettingsProps) {
  const words = useText();
  const text = words.exporting;
  const draft = useExport((state) => state.draft);
  return (
    <div className="export-settings" data-pane="export">
      {head}
      <div className="export-form">
        <RunsChoice run={run} problems={preview.problems} />
        <FilterLines problems={preview.problems.filter} />
        <FormLine label={text.target} help={text.targetText[draft.format]}>
          {({ id, describedBy }) => (
            <button
              id={id}
              type="button"
              className="field select export-target"
              aria-haspopup="dialog"
              aria-describedby={describedBy}
              data-testid="target"
              onClick={() => useExport.setState({ targets: true })}
            >
              <span className="cut">{text.targetName[draft.format]}</span>
            </button>
          )}
        </FormLine>
        <TokenizerLine />
        <FormLine label={text.undecided} help={draft.undecided === 'refuse' ? undefined : text.undecidedHelp}>
          {({ id, describedBy }) => (
            <Select<ExportOptions['undecided']>
              id={id}
              aria-describedby={describedBy}
              value={draft.undecided}
              options={[
                { value: 'refuse', label: text.refuse },
                { value: 'train', label: text.waiveTrain },
                { value: 'mask', label: text.waiveMask },
              ]}
              onChoose={(undecided) => changeDraft({ undecided })}
            />
          )}
        </FormLine>
        {(preview.toolless > 0 || draft.noTools === 'allow') && (
          <FormLine label={text.noTools} help={text.undecidedHelp}>
            {({ id, describedBy }) => (
              <Select<ExportOptions['noTools']>
                id={id}
                aria-describedby={describedBy}
                value={draft.noTools}
                options={[
                  { value: 'refuse', label: text.refuse },
                  { value: 'allow', label: text.allowNoTools },
                ]}
                onChoose={(noTools) => changeDraft({ noTools })}
              />
            )}
          </FormLine>
        )}
        <VariantList variants={preview.value?.variants ?? []} />
        <RowSettings preview={preview} />
        <FileSettings />
      </div>
      <ExportFoot preview={preview} />
    </div>
  );
}

/** A part of the form that is closed until it is needed; its line says what is set in it. */
function Part({ title, summary, children }: { title: string; summary: string; children: ReactNode }) {
  return (
    <details className="export-part">
      <summary>
        <Icon name="right" small />
        <b className="medium">{title}</b>
        <span className="quiet cut">{summary}</span>
      </summary>
      <div className="export-part-body">{children}</div>
    </details>
  );
}

function RowSettings({ preview }: { preview: Preview }) {
  const words = useText();
  const text = words.exporting;
  const draft = useExport((state) => state.draft);
  const reasoning = reasoningOf(draft);
  const carried = draft.carried ?? (draft.preset === 'apollo' ? 'paper' : 'once');
  const { share, seed } = preview.problems;
  return (
    <Part
      title={text.rowPart}
      summary={words.common.list([
        text.carriedShort[carried],
        text.reasoningShort[reasoning],
        ...(draft.split ? [text.splitShort(draft.share)] : []),
        ...(draft.deduplicate ? [text.deduplicateShort] : []),
      ])}
    >
      <FormLine label={text.preset}>
        {({ id }) => (
          <Select<ExportOptions['preset']>
            id={id}
            value={draft.preset}
            options={[
              { value: 'default', label: text.presetDefault },
              { value: 'apollo', label: text.presetApollo },
            ]}
            onChoose={(preset) => changeDraft({ preset, carried: null, reasoning: null })}
          />
        )}
      </FormLine>
      <FormLine label={text.carried} help={text.carriedHelp[carried]}>
        {({ id, describedBy }) => (
          <Select<'once' | 'paper'>
            id={id}
            aria-describedby={describedBy}
            value={carried}
            options={[
              { value: 'once', label: text.carriedOnce },
              { value: 'paper', label: text.carriedPaper },
            ]}
            onChoose={(chosen) => changeDraft({ carried: chosen })}
          />
        )}
      </FormLine>
      <FormLine label={text.reasoning} help={text.reasoningHelp[reasoning]}>
        {({ id, describedBy }) => (
          <Select<typeof reasoning>
            id={id}
            aria-describedby={describedBy}
            value={reasoning}
            options={[
              { value: 'as-sent', label: text.reasoningAsSent },
              { value: 'drop', label: text.reasoningDrop },
              { value: 'keep', label: text.reasoningKeep },
            ]}
            onChoose={(chosen) => changeDraft({ reasoning: chosen })}
          />
        )}
      </FormLine>
      <CheckLine
        checked={draft.split}
        onChange={(split) => changeDraft({ split })}
        label={text.split}
        help={text.splitHelp}
      />
      {draft.split && (
        <div className="export-split">
          <SmallField
            label={text.share}
            inputMode="decimal"
            aria-invalid={share !== null}
            value={draft.share}
            onChange={(event) => changeDraft({ share: event.target.value })}
          />
          <SmallField
            label={text.seed}
            inputMode="numeric"
            aria-invalid={seed !== null}
            value={draft.seed}
            onChange={(event) => changeDraft({ seed: event.target.value })}
          />
          {(share !== null || seed !== null) && (
            <p className="form-error" role="alert">
              {share !== null ? text.shareWrong : text.seedWrong}
            </p>
          )}
        </div>
      )}
      <CheckLine
        checked={draft.deduplicate}
        onChange={(deduplicate) => changeDraft({ deduplicate })}
        label={text.deduplicate}
        help={text.deduplicateHelp}
      />
    </Part>
  );
}

function FileSettings() {
  const words = useText();
  const text = words.exporting;
  const draft = useExport((state) => state.draft);
  const facts = targetFacts(draft.format);
  return (
    <Part
      title={text.filePart}
      summary={words.common.list([
        text.redactShort[draft.redact],
        ...(draft.compression === 'none' ? [] : [text.compressionName[draft.compression]]),
        ...(facts.argumentsForm === 'template' ? [text.argumentsShort[draft.argumentsForm]] : []),
      ])}
    >
      <FormLine label={text.redact} help={text.redactHelp[draft.redact]}>
        {({ id, describedBy }) => (
          <Select<Redaction>
            id={id}
            aria-describedby={describedBy}
            value={draft.redact}
            options={redactions.map((value) => ({ value, label: text.redactName[value] }))}
            onChoose={(redact) => changeDraft({ redact })}
          />
        )}
      </FormLine>
      <FormLine
        label={text.argumentsForm}
        help={facts.argumentsForm === 'template' ? text.argumentsHelp[draft.argumentsForm] : undefined}
      >
        {({ id, describedBy }) =>
          facts.argumentsForm === 'template' ? (
            <Select<ExportOptions['arguments']>
              id={id}
              aria-describedby={describedBy}
              value={draft.argumentsForm}
              options={(['auto', 'string', 'object'] as const).map((value) => ({
                value,
                label: text.argumentsName[value],
              }))}
              onChoose={(argumentsForm) => changeDraft({ argumentsForm })}
            />
          ) : (
            <span id={id} className="export-fixed text-12">
              {text.argumentsFixed[facts.argumentsForm]}
            </span>
          )
        }
      </FormLine>
      <FormLine label={text.compression}>
        {({ id }) =>
          facts.compressions.length > 1 ? (
            <Select<Compression>
              id={id}
              value={draft.compression}
              options={compressions
                .filter((each) => facts.compressions.includes(each))
                .map((value) => ({ value, label: text.compressionName[value] }))}
              onChoose={(compression) => changeDraft({ compression })}
            />
          ) : (
            <span id={id} className="export-fixed text-12">
              {text.compressionNone}
            </span>
          )
        }
      </FormLine>
      {draft.allowed.length > 0 && (
        <p className="text-12 row">
          <span className="soft">{text.allowedCount(draft.allowed.length)}</span>
          <Button look="ghost" small onClick={() => useExport.setState({ findings: true })}>
            {text.showFindings}
          </Button>
        </p>
      )}
    </Part>
  );
}
