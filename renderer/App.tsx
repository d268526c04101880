import { useEffect } from 'react';
import { lazily } from './components/lazily';
import { ApprovalBanner } from './features/approvals/ApprovalBanner';
import { BranchDialogs } from './features/branches/BranchDialogs';
import { HostBanner } from './features/computers/HostBanner';
import { ExperimentsPage } from './features/experiments/lazy-experiments';
import { FirstUse } from './features/first-use/FirstUse';
import { Announcer } from './features/frame/Announcer';
import { useAppCommands } from './features/frame/app-commands';
import { ElsewhereBanner, RuntimeBanner, WorkspaceBanner } from './features/frame/Banners';
import { LeftRunsBanner } from './features/frame/LeftRunsBanner';
import { ReviewLayout } from './features/frame/ReviewLayout';
import { StatusLine } from './features/frame/StatusLine';
import { TitleBar } from './features/frame/TitleBar';
import { Toasts } from './features/frame/Toasts';
import { WatchLayout } from './features/frame/WatchLayout';
import { HintDock } from './features/hints/HintDock';
import { BatteryBanner, StandstillBanner } from './features/inbox/PowerBanners';
import { LabelDialogs } from './features/labels/LabelDialogs';
import { Palette } from './features/palette/PaletteDialog';
import { PaneBoundary } from './features/panes/PaneBoundary';
import { HostPromptSheets } from './features/prompts/HostPromptSheets';
import { Rail } from './features/rail/Rail';
import { RemoteBanner } from './features/remote/RemoteBanner';
import { useRestore } from './features/restore/restore';
import { ShortcutSheet } from './features/shortcuts/ShortcutSheet';
import { Strip } from './features/strip/Strip';
import { useComputers } from './state/computers';
import { useCurrentRun, useRuns } from './state/run/runs';
import { useSettings } from './state/settings';
import { closeDialog, useView } from './state/view';
import { useWorkspace } from './state/workspace';
import { languageFor, TextContext, textFor } from './text/language';

const ExportView = lazily(() => import('./features/export/ExportView').then((m) => m.ExportView));

/** The pages of exports and experiments open within half a second also the first time. Returns what gives it up. */
function loadPagesWhenIdle(): () => void {
  const idle = requestIdleCallback(() => {
    for (const { preload } of [ExportView, ExperimentsPage]) preload().catch(() => undefined);
  });
  return () => cancelIdleCallback(idle);
}
const ImportDialog = lazily(() => import('./features/import/ImportDialog').then((m) => m.ImportDialog));
const JudgeDialog = lazily(() => import('./features/judging/JudgeDialog').then((m) => m.JudgeDialog));
const RubricDialog = lazily(() => import('./features/judging/RubricDialog').then((m) => m.RubricDialog));
const RulesDialog = lazily(() => import('./features/rules/RulesDialog').then((m) => m.RulesDialog));
const PlotsDialog = lazily(() => import('./features/plots/PlotsDialog').then((m) => m.PlotsDialog));
const NewRunDialog = lazily(() => import('./features/new-run/NewRunDialog').then((m) => m.NewRunDialog));
const SettingsDialog = lazily(() =>
  import('./features/settings/SettingsDialog').then((m) => m.SettingsDialog),
);
const ComputersDialog = lazily(() =>
  import('./features/computers/ComputersDialog').then((m) => m.ComputersDialog),
);
const AboutDialog = lazily(() => import('./features/about/AboutDialog').then((m) => m.AboutDialog));

const RestoreDialog = lazily(() => import('./features/restore/RestoreDialog').then((m) => m.RestoreDialog));

/** The window: banners, title bar, the open run's strip, content, hint dock and status line, from the top. */
export function App() {
  const settings = useSettings((state) => state.settings);
  const workspace = useWorkspace((state) => state.status);
  const language = languageFor(settings?.language ?? 'system', navigator.language);
  const text = textFor(language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  const ready = settings !== null && workspace !== null;
  useAppCommands();
  const settled = ready && settings.annotator.name !== '' && workspace.folder !== null;
  return (
    <TextContext.Provider value={text}>
      <div className="app">
        <RuntimeBanner />
        <TitleBar />
        {settled && <Frame />}
        {ready && !settled && <Start />}
        <StatusLine />
      </div>
      <Dialogs />
      <LabelDialogs />
      <Palette />
      <BranchDialogs />
      <HostPromptSheets />
      <Toasts />
      <Announcer />
    </TextContext.Provider>
  );
}

function Frame() {
  useEffect(loadPagesWhenIdle, []);
  const mode = useView((state) => state.mode);
  const run = useCurrentRun();
  const empty = useRuns((state) => state.loaded && state.list.length === 0);
  if (empty) return <Start />;
  return (
    <>
      {run !== undefined && <Strip run={run} />}
      <WorkspaceBanner />
      <ElsewhereBanner />
      <RemoteBanner />
      <LeftRunsBanner />
      <StandstillBanner />
      <BatteryBanner />
      <HostBanner />
      <ApprovalBanner />
      <main className="content">
        <Rail />
        {mode === 'watch' && <WatchLayout scope={run?.task.id ?? ''} />}
        {mode === 'review' && <ReviewLayout scope={run?.task.id ?? ''} />}
        {mode === 'export' && (
          <PaneBoundary resetKey={mode}>
            <ExportView run={run?.id ?? null} waiting={<div className="pane pane-rest" />} />
          </PaneBoundary>
        )}
      </main>
      {run !== undefined && mode !== 'export' && <HintDock key={run.id} run={run} mode={mode} />}
    </>
  );
}

/** The first use, under what may be wrong with the data folder. */
function Start() {
  return (
    <>
      <WorkspaceBanner />
      <ElsewhereBanner />
      <FirstUse />
    </>
  );
}

/** One dialog of the window, and over it the computers, which a new run or the settings may lead to. */
function Dialogs() {
  const dialog = useView((state) => state.dialog);
  const computers = useComputers((state) => state.place !== null);
  const restoring = useRestore((state) => state.choice !== null || state.done !== null);
  if (dialog === null && !computers && !restoring) return null;
  return (
    <PaneBoundary resetKey={`${dialog} ${computers} ${restoring}`}>
      {dialog === 'newRun' && <NewRunDialog onClose={closeDialog} />}
      {dialog === 'plots' && <PlotsDialog onClose={closeDialog} />}
      {dialog === 'judge' && <JudgeDialog onClose={closeDialog} />}
      {dialog === 'rubric' && <RubricDialog onClose={closeDialog} />}
      {dialog === 'rules' && <RulesDialog onClose={closeDialog} />}
      {dialog === 'import' && <ImportDialog onClose={closeDialog} />}
      {dialog === 'settings' && <SettingsDialog onClose={closeDialog} />}
      {dialog === 'about' && <AboutDialog onClose={closeDialog} />}
      {dialog === 'shortcuts' && <ShortcutSheet onClose={closeDialog} />}
      {/* What these stand over stays on the screen, with its focus, while they are loaded. */}
      {computers && <ComputersDialog />}
      {restoring && <RestoreDialog />}
    </PaneBoundary>
  );
}
