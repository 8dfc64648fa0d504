/**
 * The engine of recorded runs: all that the rest of svc sees of it. A job becomes a run, and a run goes on when asked. README.md
 * in this folder says how a run is recorded.
 */
export { beginRun, checkJob, resumeRun } from './run.ts'
export { closeRun, removeOlderRuns, removeRun } from './close.ts'
export { onceRun, recordedRuns, type RunFacts } from './find.ts'
export { findSumProblem, type Job, type Operation, type RunTools } from './job.ts'
export type { InputCounts, Party } from './lines.ts'
export { meanings, outcomes, type Outcome } from './outcomes.ts'
export type { ReceiptsFile } from './receipts-file.ts'
export { receiptsOf, type Receipt } from './receipts.ts'
export type { RunRecord } from './record.ts'
export { refuseUnreadable } from './refusals.ts'
export {
  describeTarget,
  isPartial,
  statusOf,
  summaryOf,
  type ShownRun,
  type Summary,
} from './summary.ts'
export { tellClosed, tellDryRun, tellEnding, tellUnfinished } from './telling.ts'
export { undoJob } from './undo.ts'
