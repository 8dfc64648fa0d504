/**
 * A job: what is to be sent, and all that its command says about that. One function makes it, whatever it came from: `read-job.ts` an
 * input, `plans/apply.ts` a plan, `undo.ts` a recorded run. It becomes a run only once a session has asked and recorded.
 */
import type { Api } from '../../api/client.ts'
import type { SvcError } from '../../errors.ts'
import type { Sample } from '../../input/search.ts'
import type { Question } from '../../output/questions/prompt.ts'
import type { Annotation } from '../files/annotate.ts'
import type { Chain } from '../operations/merge-order.ts'
import { operationOf } from '../operations/operations.ts'
import type { Outcome } from '../operations/outcome.ts'
import { RunState } from '../outcomes/state.ts'
import type { BatchState } from '../record/batch-state.ts'
import type { Batches } from '../record/batches.ts'
import type { BulkOperation } from '../../api/operations.ts'
import type { Items } from '../record/items.ts'
import type { InputCounts, ParameterValues, Source } from '../record/run.ts'
import type { BulkOptions } from '../tools.ts'
import type { Service } from './service.ts'

/** The input cut into batches. */
export interface Cut {
  readonly items: Items
  readonly batches: Batches
  readonly input: InputCounts
  /** Merge: which pairs wait for which. */
  readonly chain?: Chain | undefined
}

/** The id that a text stands for: itself, or that of the employee of this name. */
export type IdOf = (text: string) => string

/** One change that a command line names: its question, and what is looked at on the way. */
export interface OneChange {
  /** Its target was not typed, and nobody can be asked. */
  readonly missing: SvcError
  readonly question: (parameters: ParameterValues) => Promise<Question | undefined>
  /** An API that shows the whole answers: a run keeps no more of them than its claims need. */
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
  /** Counts as far as they are known without a request. */
  readonly input: InputCounts
  /** Checksum of the whole input as a set: the same in any order, with any letter case and duplicates. */
  readonly setSha256: () => string
  /** Cuts it; pairs with names need their ids. Throws exit 2 and 6. */
  readonly cut: (idOf?: IdOf) => Cut
  /** Parameters as they were typed, by their keys, and `yes` for a flag: what a repetition must have in common. */
  readonly typed: Readonly<Record<string, string>>
  /** Their values, found by reading after everything that is local was checked. Throws exit 6 and 9. */
  readonly find: () => Promise<ParameterValues>
  /** Ids of the second parties of pairs that were typed as names. */
  readonly resolve?: (() => Promise<IdOf>) | undefined
  /** The one file that the ids came from. */
  readonly source?: Source | undefined
  /** Rows of the table that the ids came from. */
  readonly sample?: Sample | undefined
  /** The input with the outcome of each row, to be written at the end. */
  readonly annotation?: Annotation | undefined
  /** It is one change that its command named. */
  readonly one?: OneChange | undefined
  /** The run whose changes it takes back. */
  readonly undoes?: string
  /** Told at the end, which it makes exit 7: of what is taken back, some can be taken back later only. */
  readonly late?: SvcError | undefined
  /** Throws exit 6 when the plan that it was read from has expired. */
  readonly checkTime?: () => void
}

export interface Job extends JobParts {
  /** Requests in flight. */
  readonly concurrency: number
}

/** A job under the settings of this command. */
export async function createJob(service: Service, parts: JobParts): Promise<Job> {
  const settings = await service.settings()
  const { operation, options } = parts
  const limits = { rate: settings.rate.value, maxDelete: settings.maxDelete.value }
  return {
    ...parts,
    options: { ...options, ...limits },
    concurrency: settings.concurrency.value ?? operationOf(operation).batch.concurrency,
  }
}

/** A job with what was found by reading beside its ids. */
export interface Contents extends Cut {
  readonly parameters: ParameterValues
  readonly state: RunState
}

/** Reads what names stand for, and cuts the input: the order matters, since pairs are cut by the ids of their second parties. */
export async function contentsOf(job: Job): Promise<Contents> {
  const parameters = await job.find()
  return withState(job, parameters, job.cut(await job.resolve?.()))
}

/** The same of a job without any id, for which nothing is read. */
export const emptyContents = (job: Job): Contents => withState(job, {}, job.cut())

function withState({ operation, concurrency, one }: Job, parameters: ParameterValues, cut: Cut) {
  const keepsAnswers = one !== undefined
  const state = new RunState({
    ...cut,
    operation,
    parameters,
    concurrency,
    keepsAnswers,
  })
  return { ...cut, parameters, state }
}
