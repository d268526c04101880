import { WaymarkError } from '@shared/contract/errors';
import { openReaderPart } from './reader-part';

function elsewhere(): never {
  throw new WaymarkError('bug', 'Search and verification are answered by another thread.');
}

/** Opens a connection for bounded reads in this thread, and gives what it answers by name. */
export function openReads(folder: string) {
  const { core, close } = openReaderPart(folder, {
    now: Date.now,
    get index() {
      return elsewhere();
    },
    verify: elsewhere,
  });
  return {
    runs: core.runs.bind(core),
    run: core.run.bind(core),
    resolveRun: core.resolveRun.bind(core),
    events: core.events.bind(core),
    heads: core.heads.bind(core),
    matches: core.matches.bind(core),
    countMatches: core.countMatches.bind(core),
    nearest: core.nearest.bind(core),
    facets: core.facets.bind(core),
    tiles: core.tiles.bind(core),
    segments: core.segments.bind(core),
    step: core.step.bind(core),
    evidence: core.evidence.bind(core),
    prompt: core.prompt.bind(core),
    image: core.image.bind(core),
    checkpoints: core.checkpoints.bind(core),
    openApprovals: core.openApprovals.bind(core),
    allowedKinds: core.allowedKinds.bind(core),
    hints: core.hints.bind(core),
    outbox: core.outbox.bind(core),
    outboxHead: core.outboxHead.bind(core),
    entry: core.entry.bind(core),
    sessions: core.sessions.bind(core),
    sessionsAt: core.sessionsAt.bind(core),
    readSession: core.readSession.bind(core),
    files: core.files.bind(core),
    fileRevisions: core.fileRevisions.bind(core),
    fileCounts: core.fileCounts.bind(core),
    fileText: core.fileText.bind(core),
    queries: core.queries.bind(core),
    annotations: core.annotations.bind(core),
    annotationPage: core.annotationPage.bind(core),
    similarSteps: core.similarSteps.bind(core),
    undecidedSteps: core.undecidedSteps.bind(core),
    offeredTools: core.offeredTools.bind(core),
    exportAnnotations: core.exportAnnotations.bind(core),
    queueView: core.queueView.bind(core),
    queueNext: core.queueNext.bind(core),
    withheld: core.withheld.bind(core),
    withheldRuns: core.withheldRuns.bind(core),
    batches: core.batches.bind(core),
    assignedSteps: core.assignedSteps.bind(core),
    annotators: core.annotators.bind(core),
    people: core.people.bind(core),
    dwell: core.dwell.bind(core),
    openHints: core.openHints.bind(core),
    retroMask: core.retroMask.bind(core),
    decidedExamples: core.decidedExamples.bind(core),
    tasks: core.tasks.bind(core),
    task: core.task.bind(core),
    ruleSettings: core.ruleSettings.bind(core),
    ruleCounts: core.ruleCounts.bind(core),
    stats: core.stats.bind(core),
    attention: core.attention.bind(core),
    attentionList: core.attentionList.bind(core),
    attentionReport: core.attentionReport.bind(core),
    close: async () => close(),
  };
}
