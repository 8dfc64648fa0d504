/**
 * A job: the items to send, and everything that its command says about them. `read.ts` makes one from typed words, `plans/apply.ts` from a plan, `undo.ts`
 * from a recorded run. `session.ts` turns it into a run.
 */
import type { BulkOperation } from '../api/operations.ts'
import type { SvcError } from '../errors.ts'
import type { Sample } from '../input/search.ts'
import type { Message } from '../message.ts'
import type { Question } from '../output/questions/prompt.ts'
import type { Api } from '../api/client.ts'
import type { Annotation } from './annotate.ts'
import type { Header, InputCounts, ParameterValues, Source } from './record/header.ts'
import { operationOf } from './operations/operations.ts'
import type { Outcome } from './operations/outcome.ts'
import type { BatchState } from './record/batch.ts'
import { RunState } from './record/state.ts'
import type { BulkOptions, BulkTools, Contents } from './tools.ts'

/** One change that a command line names: its question, and the checks on the way. */
export interface OneChange {
  /** The error if a party was not typed and there is nobody to ask. */
  readonly missing: SvcError
  readonly question: (parameters: ParameterValues) => Promise<Question | undefined>
  /** An API that returns whole answers. A run keeps only as much of them as its claims need. */
  readonly watch: (api: Api) => Api
}

/** How one change ended. */
export interface OneEnding {
  readonly kind: 'one'
  readonly parameters: ParameterValues
  readonly state: BatchState
  readonly outcome: Outcome | undefined
  /** Why, in words, when it is not what the last attempt ended with. */
  readonly problem: string | undefined
  /** The error that ended it, if one did. */
  readonly failure: SvcError | undefined
}

export interface JobParts {
  readonly operation: BulkOperation
  readonly options: BulkOptions
  /** Name of its run; undefined for a run whose id is its name. */
  readonly name: string | undefined
  /** The counts that are known without a request. */
  readonly input: InputCounts
  /** Checksum of the whole input as a set. */
  readonly set: () => string
  /** Parameters as they were typed, by their keys, and `yes` for a flag: what a repetition must have in common. */
  readonly typed: Readonly<Record<string, string>>
  /** Finds the ids of the names. Throws exit 2 and 6. */
  readonly contents: () => Promise<Contents>
  /** The one file that the ids came from. */
  readonly source?: Source | undefined
  /** Rows of the table that the ids came from. */
  readonly sample?: Sample | undefined
  /** The input with the outcome of each row, to be written at the end. */
  readonly annotation?: Annotation | undefined
  readonly one?: OneChange | undefined
  readonly undoes?: Header['undoes']
  readonly plan?: Header['plan']
  /** Notes that are printed once, before the question: for example which tickets an undo skips. */
  readonly notes?: readonly Message[]
  /** Runs right before a new run is recorded. Throws exit 6 for an expired plan, and marks the run that is undone. */
  readonly beforeStart?: () => Promise<void> | void
}

export interface Job extends JobParts {
  /** Requests in flight. */
  readonly concurrency: number
}

/** A job under the settings of this command. */
export async function createJob(tools: BulkTools, parts: JobParts): Promise<Job> {
  const { settings } = await tools.configuration()
  return {
    ...parts,
    concurrency:
      settings.concurrency.value ?? operationOf(parts.operation).batch.concurrency,
  }
}

/** How many items go into a request. */
export function batchSizeOf({ operation }: Pick<Job, 'operation'>): number {
  return operationOf(operation).batch.most
}

/** The state of a job before anything is sent. */
export const newState = (job: Job, { parameters, items }: Contents): RunState =>
  new RunState({ operation: job.operation, parameters, items, batchSize: batchSizeOf(job) })
